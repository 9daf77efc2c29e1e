import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import {
  basePath,
  commonErrors,
  type ErrorName,
  errors,
  IssueItem,
  ItemError,
  JobItem,
  maxItemsOfPart,
  type OperationName,
  operations,
  signatureHeader,
  timeHeader,
} from '@freebets/contract';
import clientPackage from '../../packages/client/package.json' with { type: 'json' };
import { Campaign, CampaignGetResponse } from '../../packages/contract/src/campaigns.ts';
import { Event } from '../../packages/contract/src/events.ts';
import { Bet, FreeBet, FreeBetGetResponse } from '../../packages/contract/src/free-bets.ts';
import { Game } from '../../packages/contract/src/games.ts';
import { Job } from '../../packages/contract/src/jobs.ts';
import { root } from './markdown.ts';

// Generates the parts of the TypeScript client that follow from the contract, as plain data and types. So the client
// needs neither the schemas nor their library. "node test/docs/write-tables.ts" writes the files.

export type Json = Record<string, unknown>;

export const names = Object.keys(operations) as OperationName[];
const requestOf = (name: OperationName): Json => operations[name].request as unknown as Json;
export const responseOf = (name: OperationName): Json => operations[name].response as unknown as Json;

/** The noun of each path prefix. The first match counts. */
const nouns: [prefix: string, noun: string][] = [
  ['/FreeBets/Campaign/', 'campaigns'],
  ['/FreeBets/Jobs/', 'jobs'],
  ['/FreeBets/', 'freeBets'],
  ['/Game/', 'games'],
  ['/Events/', 'events'],
  ['/Rounds/', 'rounds'],
  ['/Sandbox/', 'sandbox'],
];

/** `/FreeBets/Issue/Batch` is `freeBets.issueBatch`. */
export function methodOf(path: string): [noun: string, verb: string] {
  const [prefix, noun] = nouns.find(([prefix]) => path.startsWith(prefix)) ?? [];
  if (prefix === undefined || noun === undefined) throw new Error(`the client has no noun for ${path}`);
  const words = path.slice(prefix.length).replaceAll('/', '');
  return [noun, words.charAt(0).toLowerCase() + words.slice(1)];
}

/** The properties of an object schema, in any of its forms. */
export const formsOf = (schema: Json): Json[] => {
  const forms = [schema.then, schema.else, ...((schema.anyOf ?? []) as Json[])].filter((form) => form !== undefined);
  return forms.length === 0 ? [schema] : (forms as Json[]);
};
export const propertiesOf = (schema: Json): Record<string, Json> => (schema.properties ?? {}) as Record<string, Json>;
export const requiredOf = (schema: Json): string[] => (schema.required ?? []) as string[];

/** The ID that the service makes if the caller gives none: optional in the request, and present in the response. */
function madeId(request: Json, response: Json): string | undefined {
  const answered = formsOf(response).flatMap((form) => Object.keys(propertiesOf(form)));
  const optional = formsOf(request).flatMap((form) =>
    Object.keys(propertiesOf(form)).filter((field) => !requiredOf(form).includes(field)),
  );
  return optional.find((field) => field.endsWith('_id') && answered.includes(field));
}

interface Row {
  method: string;
  path: string;
  caller: string;
  /** The ID that the client adds if it is missing, so that every attempt sends the same one. */
  makes?: string;
  /** The list whose items have that ID. */
  each?: string;
  /** The list in each page of the response, and the maximum size of a page. */
  list?: string;
  most?: number;
  /** The first two required fields of the response, which identify it; empty for `{}`. */
  has: string[];
  once?: true;
}

/**
 * Operations without an ID that identifies a repetition. A repeated call could play a second round, or undo a change that
 * another caller has made meanwhile.
 */
const sentOnce: OperationName[] = ['CampaignPause', 'CampaignResume', 'CampaignLimits', 'SandboxRound'];

export function rowOf(name: OperationName): Row {
  const { path, caller, changes } = operations[name];
  const [request, response] = [requestOf(name), responseOf(name)];
  const { limit, items, issue_ids } = propertiesOf(request);
  const results = propertiesOf(response).results?.items as Json | undefined;
  const makes = changes ? madeId(request, response) : undefined;
  const makesEach = items && results && madeId(items['x-items'] as Json, results);
  const each = results && ((items && 'items') ?? (issue_ids && 'issue_ids'));
  const list = Object.entries(propertiesOf(response)).find(([, { type }]) => type === 'array')?.[0];
  const isPaged = 'next_cursor' in propertiesOf(response) && list !== undefined;
  return {
    method: methodOf(path).join('.'),
    path,
    caller,
    ...(makes && { makes }),
    ...(makesEach && { makes: makesEach }),
    ...(each && { each }),
    ...(isPaged && { list, most: limit?.maximum as number }),
    has: requiredOf(formsOf(response)[0] as Json).slice(0, 2),
    ...(sentOnce.includes(name) && { once: true }),
  };
}

export const clientRows = (): Record<string, Row> => Object.fromEntries(names.map((name) => [name, rowOf(name)]));

export const components = new Map<unknown, string>([
  [FreeBet, 'FreeBet'],
  [Bet, 'Bet'],
  [FreeBetGetResponse, 'FreeBetWithBets'],
  [Campaign, 'Campaign'],
  [CampaignGetResponse, 'CampaignWithCounts'],
  [Game, 'Game'],
  [Job, 'Job'],
  [JobItem, 'JobItem'],
  [(propertiesOf(responseOf('JobRefusals')).refusals as Json).items, 'JobRefusal'],
  [Event, 'FreebetsEvent'],
  [operations.RoundsGet.response, 'RoundBet'],
  [IssueItem, 'IssueItem'],
  [ItemError, 'ItemError'],
]);

const quoted = (value: unknown): string => JSON.stringify(value).replaceAll('"', "'");
const comment = (text: unknown): string => (text ? `/** ${text} */\n` : '');

const figure = (count: unknown) => (count as number).toLocaleString('en');

/** The description of a field with the range of its values or the size of its list. */
function fieldText({ description = '', minimum, maximum, minItems, maxItems }: Json): string {
  const range = maximum !== undefined && `${figure(minimum)} to ${figure(maximum)}.`;
  const size = maxItems !== undefined && `${figure(minItems ?? 0)} to ${figure(maxItems)} items.`;
  return [description, range, size].filter(Boolean).join(' ');
}

export function typeOf(schema: Json, isNamed = true): string {
  const component = isNamed ? componentOf(schema) : undefined;
  if (component !== undefined) return component;
  const { const: constant, enum: all, 'x-only': values = all, type, 'x-items': ofItems, items } = schema;
  if (schema === propertiesOf(ItemError as unknown as Json).error) return 'ErrorName';
  if (constant !== undefined) return quoted(constant);
  if (Array.isArray(values)) return values.map(quoted).join(' | ');
  if (schema.then !== undefined) return unionOf(toldApart(schema));
  if (schema.anyOf !== undefined) return unionOf(formsOf(schema));
  if (Array.isArray(type)) return type.map((one) => typeOf({ type: one })).join(' | ');
  if (type === 'array') {
    const item = typeOf((ofItems ?? items) as Json);
    return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
  }
  if (type === 'object') return objectOf(schema);
  if (type === 'integer') return 'number';
  return String(type);
}

const written = (schema: Json, field: string): string =>
  JSON.stringify([propertiesOf(schema)[field], requiredOf(schema).includes(field)]);

/** Whether one object has all that another has, in the same form. */
export const holds = (schema: Json, base: Json): boolean => {
  const fields = Object.keys(propertiesOf(base));
  return fields.length > 0 && fields.every((field) => written(base, field) === written(schema, field));
};

export const componentOf = (schema: Json): string | undefined =>
  components.get(schema) ?? [...components].find(([of]) => holds(schema, of as Json) && holds(of as Json, schema))?.[1];

const isObject = (schema: Json): boolean => schema.type === 'object' && componentOf(schema) === undefined;

/** Adds the fields of each form to the other as `undefined`, so that the compiler rejects a mix of the two. */
function toldApart(schema: Json): Json[] {
  const [one, other] = formsOf(schema) as [Json, Json];
  return [without(other, one), without(one, other)];
}

function without(other: Json, form: Json): Json {
  const absent = Object.keys(propertiesOf(other)).filter((field) => !(field in propertiesOf(form)));
  const properties = Object.fromEntries(absent.map((field) => [field, { type: 'undefined' }]));
  return { ...form, properties: { ...properties, ...propertiesOf(form) } };
}

/** Writes the fields that all forms share only once. */
function unionOf(forms: Json[]): string {
  if (!forms.every(isObject)) return forms.map((form) => typeOf(form)).join(' | ');
  const [first, ...others] = forms as [Json, ...Json[]];
  const isShared = (field: string) => others.every((form) => written(form, field) === written(first, field));
  const shared = Object.keys(propertiesOf(first)).filter(isShared);
  const own = forms.filter((form) => Object.keys(propertiesOf(form)).length > shared.length);
  // If one form has only the shared fields, the other fields are optional.
  if (own.length === 1) return objectOf({ ...(own[0] as Json), required: shared.filter(isRequiredIn(first)) });
  const distinct = own.map((form) => objectOf(form, (field) => !shared.includes(field))).join(' | ');
  return shared.length === 0 ? distinct : `${objectOf(first, (field) => shared.includes(field))} & (${distinct})`;
}

const isRequiredIn = (schema: Json) => (field: string) => requiredOf(schema).includes(field);

function objectOf(schema: Json, isWanted: (field: string) => boolean = () => true): string {
  const fields = Object.entries(propertiesOf(schema)).filter(([field]) => isWanted(field));
  if (schema.additionalProperties !== false) return 'Partial<Record<ErrorName, number>>';
  if (fields.length === 0) return 'Record<string, never>';
  const lines = fields.map(([field, of]) => {
    const mark = requiredOf(schema).includes(field) ? '' : '?';
    return `${comment(fieldText(of))}${field}${mark}: ${typeOf(of)};`;
  });
  return `{\n${lines.join('\n')}\n}`;
}

/** The client adds the caller. */
function withoutCaller(schema: Json, caller: string): Json {
  if (schema.then !== undefined) {
    const [one, other] = formsOf(schema).map((form) => withoutCaller(form, caller));
    // biome-ignore lint/suspicious/noThenProperty: `then` is the keyword of JSON Schema.
    return { ...schema, then: one, else: other };
  }
  const { [caller]: _, ...properties } = propertiesOf(schema);
  return { ...schema, properties, required: requiredOf(schema).filter((field) => field !== caller) };
}

export const requestSchema = (name: OperationName) => withoutCaller(requestOf(name), operations[name].caller);
export const isOptional = (name: OperationName) =>
  formsOf(requestSchema(name)).some((form) => requiredOf(form).length === 0);
export const responseType = (name: OperationName): string => {
  if (Object.keys(propertiesOf(responseOf(name))).length === 0 && responseOf(name).type === 'object') return 'object';
  return components.get(responseOf(name)) ?? `${name}Response`;
};

/** Extends a named type if the object has all of its fields. */
function interfaceOf(name: string, schema: Json): string {
  const [base, baseName] = [...components].find(([of]) => of !== schema && holds(schema, of as Json)) ?? [];
  if (base === undefined) return `interface ${name} ${objectOf(schema)}`;
  return `interface ${name} extends ${baseName} ${objectOf(schema, (field) => !(field in propertiesOf(base as Json)))}`;
}

function declaration(name: string, schema: Json, text?: string): string {
  const isInterface = Object.keys(propertiesOf(schema)).length > 0;
  return `${comment(text)}export ${isInterface ? interfaceOf(name, schema) : `type ${name} = ${typeOf(schema, false)};`}\n`;
}

/** Requests of the same form share the declaration of the first. */
function requestDeclarations(): string[] {
  const first = new Map<string, string>();
  return names.map((name) => {
    const schema = requestSchema(name);
    const form = JSON.stringify(schema);
    const text = `The request of \`${operations[name].path}\`.`;
    const same = first.get(form);
    if (same !== undefined) return `${comment(text)}export type ${name}Request = ${same};\n`;
    first.set(form, `${name}Request`);
    return declaration(`${name}Request`, schema, text);
  });
}

const responseDeclarations = (): string[] =>
  names
    .filter((name) => responseType(name) === `${name}Response`)
    .map((name) => declaration(`${name}Response`, responseOf(name), `The response of \`${operations[name].path}\`.`));

export const head = `// Made from the contract by "node test/docs/write-tables.ts": change it there.\n`;

/** As the linter wants it. */
export function formatted(source: string): string {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const args = [biome, 'format', '--stdin-file-path=packages/client/src/operations.ts'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, input: source });
  if (status !== 0) throw new Error(`${stderr}`);
  return String(stdout);
}

/** Omits the most frequent caller, to keep the client small. */
const withoutPartner = (key: string, value: unknown) => (key === 'caller' && value === 'client_id' ? undefined : value);

/** The table that the client makes its methods from. */
export const clientOperations = (): string =>
  formatted(`${head}
export const version = '${clientPackage.version}';
export const basePath = '${basePath}';
export const signatureHeader = '${signatureHeader}';
export const timeHeader = '${timeHeader}';
export const itemsOfPart = ${maxItemsOfPart};

/**
 * \`caller\` is absent for partners. The client adds the ID \`makes\` if it is missing: to the request, or to each item of the
 * list \`each\`. The response is a page of \`list\` with at most \`most\` items, and \`has\` these fields. An operation with
 * \`once\` is not repeated after an attempt that may have been carried out.
 */
export interface Operation {
  method: string;
  path: string;
  caller?: 'provider_id';
  makes?: string;
  each?: string;
  list?: string;
  most?: number;
  has: readonly string[];
  once?: true;
}

export const operations = ${JSON.stringify(clientRows(), withoutPartner)} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
`);

export const errorNames = [...new Set(names.flatMap((name) => [...commonErrors, ...operations[name].errors]))].toSorted(
  (a, b) => errors[a].code - errors[b].code,
);

export const importOf = (text: string, all: string[], file: string): string => {
  const code = text.replaceAll(/\/\*\*.*?\*\//gs, '');
  const used = all.filter((name) => new RegExp(`\\b${name}\\b`).test(code)).sort();
  return `import type { ${used.join(', ')} } from './${file}';\n`;
};

/** By the HTTP status. The client has these classes in freebets-error.ts. */
const errorClasses: Record<number, string> = {
  400: 'ValidationError',
  403: 'AuthenticationError',
  404: 'NotFoundError',
  405: 'ValidationError',
  409: 'ConflictError',
  413: 'ValidationError',
  415: 'ValidationError',
  429: 'RateLimitError',
  500: 'ServerError',
  503: 'ServerError',
};

export function classOf(name: ErrorName): string {
  const found = errorClasses[errors[name].status];
  if (found === undefined) throw new Error(`the client has no class for the status of ${name}`);
  return found;
}

const classTypes = (): string =>
  [...Map.groupBy(errorNames, classOf)]
    .map(([of, all]) => `export type ${of}Name = ${all.map(quoted).join(' | ')};\n`)
    .join('\n');

export const thingNames = ['ErrorName', ...components.values()];

/** What there is. */
export const clientThings = (): string =>
  formatted(`${head}
/** The name of every error that an operation returns. */
export type ErrorName = ${[...new Set(errorNames.map(classOf))].map((of) => `${of}Name`).join(' | ')};

${classTypes()}
${[...components].map(([schema, name]) => declaration(name, schema as Json)).join('\n')}`);

export function clientRequests(): string {
  const text = requestDeclarations().join('\n');
  return formatted(`${head}\n${importOf(text, thingNames, 'things.ts')}\n${text}`);
}

export function clientAnswers(): string {
  const text = responseDeclarations().join('\n');
  return formatted(`${head}\n${importOf(text, thingNames, 'things.ts')}\n${text}`);
}

export const snake = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
