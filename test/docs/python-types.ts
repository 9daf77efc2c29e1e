import { componentOf, formsOf, holds, type Json, propertiesOf, requiredOf } from './client-operations.ts';
import { pythonLiteral, wrapped } from './python-text.ts';

// The types of the Python package: a TypedDict for each object of the contract.

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const camel = (text: string) => capital(text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
const singular = (text: string) => text.replace(/s$/, '');

const simple: Record<string, string> = {
  integer: 'int',
  number: 'float',
  string: 'str',
  boolean: 'bool',
  null: 'None',
};

/** Shorter names than the path of the object would make. */
const shortNames: Record<string, string> = {
  CampaignBetAmount: 'BetAmount',
  CampaignWithCountsCounts: 'CampaignCounts',
  CampaignWithCountsWinning: 'MoneyPerCurrency',
  CampaignWithCountsExposure: 'MostPerCurrency',
  GameListResponseProvider: 'GameProvider',
  CampaignCreateConfig: 'CampaignConfigParam',
  IssueItemConfig: 'CoefficientConfigParam',
  FreeBetConfig: 'CoefficientConfig',
  FreebetsEventData: 'EventData',
  IssueBatchResponseResult: 'IssueBatchResult',
  CancelBatchResponseResult: 'CancelBatchResult',
  GameListResponseImageAssets: 'ImageAssets',
  ImageAssetsPresets: 'ImagePresets',
  ImagePresetsGame: 'GameImageSizes',
  GameImageSizesLandscape: 'ImageSize',
  RoundsAvailableResponseFreeBet: 'AvailableFreeBet',
  SandboxClockGetResponse: 'SandboxClock',
};

export class PythonTypes {
  /** By their form, so that equal objects share a name. */
  #byForm = new Map<string, string>();
  #declarations = new Map<string, string>();
  /** What another object can extend. */
  #bases: [name: string, schema: Json][] = [];

  names = (): string[] => [...this.#declarations.keys()];

  typeOf(schema: Json, name: string, sequence: 'List' | 'Sequence'): string {
    const component = componentOf(schema);
    if (component !== undefined) return component;
    const { const: constant, enum: all, 'x-only': values = all, type, 'x-items': ofItems, items } = schema;
    if (constant !== undefined) return `Literal[${pythonLiteral(constant)}]`;
    if (Array.isArray(values)) return `Literal[${values.map((value) => pythonLiteral(value)).join(', ')}]`;
    if (schema.then !== undefined || schema.anyOf !== undefined) return this.#unionOf(schema, name, sequence);
    if (Array.isArray(type)) {
      const [first = ''] = type.filter((one) => one !== 'null');
      return `Optional[${simple[first]}]`;
    }
    if (type === 'array') return `${sequence}[${this.typeOf((ofItems ?? items) as Json, singular(name), 'List')}]`;
    if (type !== 'object') return simple[String(type)] ?? 'Any';
    if (schema.additionalProperties !== false) return 'Dict[str, int]';
    return this.declare(name, schema);
  }

  #unionOf(schema: Json, name: string, sequence: 'List' | 'Sequence'): string {
    const forms = formsOf(schema);
    const others = forms.filter(({ type }) => type !== 'null');
    if (others.length < forms.length) return `Optional[${this.typeOf(others[0] as Json, name, sequence)}]`;
    return this.declare(name, schema);
  }

  /** An object of several forms is one type here: a field that only some forms have is optional. */
  declare(wanted: string, schema: Json): string {
    const forms = formsOf(schema);
    const form = JSON.stringify(forms);
    const known = this.#byForm.get(form);
    if (known !== undefined) return known;
    const name = shortNames[wanted] ?? wanted;
    this.#byForm.set(form, name);
    const [baseName = 'TypedDict', base = {}] = this.#bases.find(([, of]) => holds(schema, of)) ?? [];
    if (forms.length === 1 && Object.keys(propertiesOf(schema)).length > 4) this.#bases.push([name, schema]);
    const all = [...new Set(forms.flatMap((one) => Object.keys(propertiesOf(one))))];
    const fields = all.filter((field) => !(field in propertiesOf(base)));
    const isRequired = (field: string) => forms.every((one) => requiredOf(one).includes(field));
    const text = (wanted: boolean) =>
      fields.filter((field) => isRequired(field) === wanted).map((field) => this.#field(name, field, forms));
    this.#declarations.set(name, declaration(name, baseName, text(true), text(false)));
    return name;
  }

  #field(name: string, field: string, forms: Json[]): string {
    const schemas = forms.flatMap((form): Json[] =>
      field in propertiesOf(form) ? [propertiesOf(form)[field] as Json] : [],
    );
    const isObject = (schema: Json) => schema.additionalProperties === false && componentOf(schema) === undefined;
    const isMixed = new Set(schemas.map((schema) => JSON.stringify(schema))).size > 1;
    const wanted = isMixed && schemas.every(isObject) ? [{ anyOf: schemas }] : schemas;
    const types = wanted.map((schema) => this.typeOf(schema, `${name}${camel(field)}`, 'List'));
    const { description } = schemas[0] as Json;
    return `${fieldLine(field, unionOf([...new Set(types)]))}\n${typeof description === 'string' ? comment(description) : ''}`;
  }

  module(head: string): string {
    const text = [...this.#declarations.values()].join('\n\n');
    const used = ['Any', 'Dict', 'List', 'Literal', 'Optional', 'TypedDict', 'Union'].filter((name) =>
      new RegExp(`\\b${name}\\b`).test(text),
    );
    return `${head}\nfrom typing import ${used.join(', ')}\n\n\n${text}`;
  }
}

function unionOf(types: string[]): string {
  const literals = types.map((type) => /^Literal\[(.*)\]$/.exec(type)?.[1]);
  if (literals.every((one) => one !== undefined)) return `Literal[${literals.join(', ')}]`;
  return types.length === 1 ? (types[0] as string) : `Union[${types.join(', ')}]`;
}

function fieldLine(field: string, type: string): string {
  const line = `    ${field}: ${type}`;
  const values = /^Literal\[(.*)\]$/.exec(type)?.[1];
  if (line.length <= 120 || values === undefined) return line;
  return `    ${field}: Literal[\n${values
    .split(', ')
    .map((value) => `        ${value},\n`)
    .join('')}    ]`;
}

const comment = (text: string): string => {
  const lines = wrapped(text, 106);
  if (lines.length === 1) return `    """${text}"""\n`;
  return `    """${lines[0]}\n${lines
    .slice(1)
    .map((line) => `    ${line}\n`)
    .join('')}    """\n`;
};

/** Python before 3.11 can't mark single fields as optional, so the required ones are in a base. */
function declaration(name: string, base: string, required: string[], optional: string[]): string {
  if (optional.length === 0) return `class ${name}(${base}):\n${required.join('')}`;
  if (required.length === 0) return `class ${name}(${base}, total=False):\n${optional.join('')}`;
  return `class _${name}Required(${base}):\n${required.join('')}\n\nclass ${name}(_${name}Required, total=False):\n${optional.join('')}`;
}
