import { errors, maxItemsOfPart, type Operation, type OperationName, operations } from '@freebets/contract';
import {
  clientRows,
  componentOf,
  components,
  errorNames,
  formsOf,
  holds,
  isOptional,
  type Json,
  methodOf,
  names,
  propertiesOf,
  requestSchema,
  requiredOf,
  responseOf,
} from './client-operations.ts';
import { fieldDocs, literal, propertyDocs, typeOf, wrapped } from './php-types.ts';

// The parts of the PHP client that follow from the contract: the table of operations, a service for each noun, a class
// for each response, and the names of the errors.

const namespaceOf = (folder: string) => `Freebets${folder === '' ? '' : `\\${folder}`}`;

const fileOf = (folder: string, uses: string[], code: string): string =>
  [
    '<?php\n',
    '// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.\n',
    'declare(strict_types=1);\n',
    `namespace ${namespaceOf(folder)};\n`,
    ...(uses.length > 0 ? [`${uses.map((name) => `use Freebets\\${name};\n`).join('')}`] : []),
    code,
  ].join('\n');

/** A doc comment; `lines` are indented by `indent` and need no wrapping. */
const comment = (lines: string[], indent = ''): string =>
  `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;

const rows = clientRows();

function operationsFile(): string {
  const all = names.map((name) => {
    const { method, ...row } = rows[name] as (typeof rows)[string];
    return `        '${method}' => ${literal(row, '        ')},\n`;
  });
  const code = `/** @internal */
final class Operations
{
    /** The largest number of items in one part of a job. */
    public const ITEMS_OF_PART = ${maxItemsOfPart};

    public const ALL = [
${all.join('')}    ];
}
`;
  return fileOf('', [], code);
}

/** Errors that the clients make. */
const ownErrors = {
  no_answer: 'No complete response arrived.',
  unreadable_answer: 'The response did not come from the service.',
  job_failed: '`jobs->run` found that the job has failed.',
};

function errorNamesFile(): string {
  const ofService = errorNames.map((name): [string, string] => {
    const { status, code, message } = errors[name];
    return [name, `HTTP ${status}, code ${code}. ${message}`];
  });
  const constants = [...ofService, ...Object.entries(ownErrors)].map(([name, text]) => {
    const line = `    /** ${text} */\n`;
    const docs = line.length <= 120 ? line : comment(wrapped(text), '    ');
    return `${docs}    public const ${name.toUpperCase()} = '${name}';\n`;
  });
  const code = `/** The values of \`FreebetsException::$error\`. */
final class ErrorName
{
${constants.join('\n')}}
`;
  return fileOf('', [], code);
}

const modelOf = (schema: Json): string | undefined => componentOf(schema)?.replace(/^Freebets/, '');

/** The class of a response; `Result` if it has no fields but `dry_run`. */
function responseClass(name: OperationName): string {
  const schema = responseOf(name);
  const fields = formsOf(schema).flatMap((form) => Object.keys(propertiesOf(form)));
  if (fields.every((field) => field === 'dry_run')) return 'Result';
  return modelOf(schema) ?? `${name}Response`;
}

/** The items of a list, with the name of their class. */
function itemOf(name: OperationName): { schema: Json; model: string } | undefined {
  const { list } = rows[name] as (typeof rows)[string];
  const schema = list && ((propertiesOf(responseOf(name))[list] as Json).items as Json);
  if (!schema) return undefined;
  const model = modelOf(schema);
  if (model === undefined) throw new Error(`the items of ${name} have no name`);
  return { schema, model };
}

/** The component whose fields an object has, and more. */
const baseOf = (schema: Json): [schema: Json, model: string] | undefined => {
  const found = [...components].find(
    ([of]) => of !== schema && !holds(of as Json, schema) && holds(schema, of as Json),
  );
  return found && [found[0] as Json, found[1].replace(/^Freebets/, '')];
};

/** Every class of a response or an item, with its bases. */
function models(): Map<string, Json> {
  const found = new Map<string, Json>();
  const add = (model: string, schema: Json) => {
    if (found.has(model)) return;
    found.set(model, schema);
    const base = baseOf(schema);
    if (base !== undefined) add(base[1], base[0]);
  };
  for (const name of names) {
    if (responseClass(name) !== 'Result') add(responseClass(name), responseOf(name));
    const item = itemOf(name);
    if (item !== undefined) add(item.model, item.schema);
  }
  for (const [schema, component] of components) {
    if (component === 'FreebetsEvent') add('Event', schema as Json);
  }
  return found;
}

const modelText = (model: string): string => {
  const name = model.replace(/Response$/, '');
  const operation = (operations as Record<string, Operation>)[name];
  return operation && model.endsWith('Response') ? `The response of \`${operation.path}\`.` : '';
};

function modelFile(model: string, schema: Json): string {
  const base = baseOf(schema);
  const forms = formsOf(schema);
  const isOwn = (field: string) => base === undefined || !(field in propertiesOf(base[0]));
  const fields = [...new Set(forms.flatMap((form) => Object.keys(propertiesOf(form))))];
  const optional = fields.filter((field) => forms.some((form) => !requiredOf(form).includes(field)));
  const body = optional.length === 0 ? '' : `    protected const OPTIONAL = ${literal(optional, '    ')};\n`;
  const isBase = [...models()].some(([, other]) => baseOf(other)?.[1] === model);
  const text = modelText(model);
  const docs = comment([...(text ? [text, ''] : []), ...propertyDocs(schema, isOwn)]);
  const kind = isBase ? 'class' : 'final class';
  return fileOf(
    'Model',
    base === undefined ? ['Result'] : [],
    `${docs}${kind} ${model} extends ${base?.[1] ?? 'Result'}\n{\n${body}}\n`,
  );
}

/** `freeBets` is served by `FreeBetService`. */
const serviceOf = (noun: string) => `${noun.charAt(0).toUpperCase()}${noun.slice(1).replace(/s$/, '')}Service`;

/** What a service has besides its operations, in a file written by hand. */
const traits: Record<string, string> = { jobs: 'RunsJobs', events: 'IteratesEvents' };

/** One of the examples of the contract, as a call. */
function exampleOf(name: OperationName): string[] {
  const { caller, example, path } = operations[name];
  const { [caller]: _, ...request } = example.request as Json;
  const [noun, verb] = methodOf(path);
  const variable = caller === 'client_id' ? '$partner' : '$provider';
  const call = `${variable}->${noun}->${verb}(${Object.keys(request).length === 0 ? '' : literal(request, '', 56)})`;
  const { list } = rows[name] as (typeof rows)[string];
  const code = list ? `foreach (${call} as $item) {\n    // …\n}` : `$result = ${call};`;
  return ['Example:', '', ...code.split('\n').map((line) => `    ${line}`)];
}

function methodCode(name: OperationName): string {
  const { summary, description, path } = operations[name];
  const { makes } = rows[name] as (typeof rows)[string];
  const [noun, verb] = methodOf(path);
  const schema = requestSchema(name);
  const fields = fieldDocs(schema, makes);
  const item = itemOf(name);
  const answer = responseClass(name);
  const docs = [
    ...wrapped(`${summary}: \`${path}\`.`),
    '',
    ...wrapped(description),
    '',
    ...(fields.length > 0 ? ['Fields of the request:', ...fields, ''] : []),
    ...exampleOf(name),
    '',
    ...`@param ${typeOf(schema)} $request`.split('\n'),
    ...(item === undefined ? [] : [`@return PagedList<${item.model}, ${answer}>`]),
    '',
    '@throws FreebetsException',
  ];
  const parameters = `array $request${isOptional(name) ? ' = []' : ''}, ?CallOptions $options = null`;
  const head = `    public function ${verb}(${parameters}): ${item === undefined ? answer : 'PagedList'}\n    {\n`;
  const given = [`'${noun}.${verb}'`, '$request', '$options', `${answer}::class`];
  const listed = ['$this->caller', ...given, `${item?.model}::class`].map((one) => `            ${one},\n`);
  const code =
    item === undefined
      ? `return $this->caller->call(${given.join(', ')});`
      : `return new PagedList(\n${listed.join('')}        );`;
  return `${comment(docs, '    ')}${head}        ${code}\n    }\n`;
}

function serviceFile(noun: string, all: OperationName[]): string {
  const trait = traits[noun];
  const lists = all.filter((name) => itemOf(name) !== undefined);
  const used = new Set(all.flatMap((name) => [responseClass(name), itemOf(name)?.model ?? 'Result']));
  const uses = [
    'CallOptions',
    'Exception\\FreebetsException',
    ...[...used].filter((model) => model !== 'Result').map((model) => `Model\\${model}`),
    ...(lists.length > 0 ? ['PagedList'] : []),
    ...(all.some((name) => responseClass(name) === 'Result') ? ['Result'] : []),
  ];
  const parts = [...(trait ? [`    use ${trait};\n`] : []), ...all.map(methodCode)];
  return fileOf(
    'Service',
    uses.toSorted(),
    `final class ${serviceOf(noun)} extends Service\n{\n${parts.join('\n')}}\n`,
  );
}

const byNoun = Map.groupBy(names, (name) => methodOf(operations[name].path)[0]);

export const phpFiles: { file: string; make: () => string }[] = [
  { file: 'clients/php/src/Operations.php', make: operationsFile },
  { file: 'clients/php/src/ErrorName.php', make: errorNamesFile },
  ...[...byNoun].map(([noun, all]) => ({
    file: `clients/php/src/Service/${serviceOf(noun)}.php`,
    make: () => serviceFile(noun, all),
  })),
  ...[...models()].map(([model, schema]) => ({
    file: `clients/php/src/Model/${model}.php`,
    make: () => modelFile(model, schema),
  })),
];
