import {
  commonErrors,
  type ErrorName,
  errors,
  maxItemsOfPart,
  type OperationName,
  operations,
} from '@freebets/contract';
import {
  clientRows,
  componentOf,
  components,
  formsOf,
  type Json,
  methodOf,
  names,
  propertiesOf,
  requestSchema,
  requiredOf,
  responseOf,
  snake,
} from './client-operations.ts';
import { pythonLiteral, wrapped } from './python-text.ts';
import { PythonTypes } from './python-types.ts';

// The generated parts of the Python package: its table of operations, its types, and its methods.
// "node test/docs/write-tables.ts" writes them.

const head = `# Made from the contract by "node test/docs/write-tables.ts": change it there.

from __future__ import annotations
`;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const classOf = (noun: string) => capital(noun);
const list = (items: string[]) => items.map((item) => `    ${item},\n`).join('');

function operationsModule(): string {
  const rows = Object.values(clientRows()).map(({ method, path, makes, each, list, most, has, once }) => {
    const given = Object.entries({ makes, each, list, most, once }).filter(([, value]) => value !== undefined);
    const fields = given.map(([name, value]) => `, ${name}=${pythonLiteral(value)}`).join('');
    const tuple =
      has.length === 0
        ? '()'
        : `(${has.map((field) => `"${field}",`).join(' ')})`.replace(/,\)$/, has.length > 1 ? ')' : ',)');
    return `    "${snake(method)}": Operation("${path}", ${tuple}${fields}),\n`;
  });
  return `${head}
from typing import NamedTuple, Optional


class Operation(NamedTuple):
    path: str
    has: tuple[str, ...]
    """Fields of every response; none if it is empty."""
    makes: Optional[str] = None
    """The ID that the client makes if the request has none."""
    each: Optional[str] = None
    """The list of a batch. Its items have the ID."""
    list: Optional[str] = None
    """The list that a response has one page of."""
    most: Optional[int] = None
    """The most items of a page."""
    once: bool = False
    """Never repeated after an attempt that may have been carried out."""


OPERATIONS = {
${rows.join('')}}
ITEMS_OF_PART = ${maxItemsOfPart}
`;
}

function rangeOf(schema: Json): string | undefined {
  const number = (value: unknown) => Number(value).toLocaleString('en-US');
  const between = (low: unknown, high: unknown) =>
    high === undefined ? `at least ${number(low)}` : `${number(low)} to ${number(high)}`;
  if (schema.minimum !== undefined) return `${capital(between(schema.minimum, schema.maximum))}.`;
  if (schema.minItems !== undefined) {
    const distinct = schema.uniqueItems === true ? ', all different' : '';
    return `${capital(between(schema.minItems, schema.maxItems))} items${distinct}.`;
  }
  return undefined;
}

const plain = (text: string) => text.replaceAll('`', '').toLowerCase();

/** Descriptions that the form repeats, and what stays of them. */
const generics: [start: string, kept: string][] = [
  ['ISO 8601', ''],
  ['Amount with', ''],
  ['Odds or multiplier', 'odds or multiplier: '],
  ['Currency code', 'currency code: '],
];

/** What an argument means, and which values it may have. */
function textOf(schema: Json): string {
  const { description = '', 'x-form': form = '' } = schema as Record<string, string>;
  const generic = generics.find(([start]) => description.startsWith(start));
  if (generic !== undefined) return `${capital(generic[1] + form)}.`;
  const isKnown = plain(description).includes(plain(form)) || description.includes('UUID');
  const sentences = [description, isKnown ? undefined : `${capital(form)}.`, rangeOf(schema)];
  const text = sentences.filter((sentence) => sentence).join(' ');
  return /[.!]$/.test(text) || text === '' ? text : `${text}.`;
}

/** All fields of a request of one or several forms, with those first that every form requires. */
function fieldsOf(name: OperationName): [field: string, schema: Json, isRequired: boolean][] {
  const forms = formsOf(requestSchema(name));
  // In the order of the forms; the first one describes a field that several have.
  const all = [...forms, ...forms.toReversed()].map(propertiesOf);
  const merged = Object.assign({}, ...all) as Record<string, Json>;
  const isRequired = (field: string) => forms.every((form) => requiredOf(form).includes(field));
  const fields = Object.entries(merged).map(([field, schema]): [string, Json, boolean] => [
    field,
    schema,
    isRequired(field),
  ]);
  return [...fields.filter(([, , required]) => required), ...fields.filter(([, , required]) => !required)];
}

/** The values of a field that differs by form, such as `result`. */
function typeOfField(types: PythonTypes, name: OperationName, field: string): string {
  const found = formsOf(requestSchema(name)).flatMap((form) => {
    const schema = propertiesOf(form)[field];
    return schema === undefined ? [] : [types.typeOf(schema, `${name}${capital(camel(field))}`, 'Sequence')];
  });
  const distinct = [...new Set(found)];
  const literals = distinct.map((type) => /^Literal\[(.*)\]$/.exec(type)?.[1]);
  return literals.every((one) => one !== undefined) ? `Literal[${literals.join(', ')}]` : distinct.join(' | ');
}

const camel = (text: string) => text.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const pageItem = (name: OperationName): string | undefined => clientRows()[name]?.list;

function returnType(types: PythonTypes, name: OperationName): string {
  const response = responseOf(name);
  const items = pageItem(name);
  if (items !== undefined) return types.typeOf((propertiesOf(response)[items] as Json).items as Json, '', 'List');
  if (Object.keys(propertiesOf(response)).length === 0 && componentOf(response) === undefined) return 'Dict[str, Any]';
  return types.typeOf(response, `${name}Response`, 'List');
}

const errorClasses: Record<number, string> = {
  400: 'ValidationError',
  403: 'AuthenticationError',
  404: 'NotFoundError',
  409: 'ConflictError',
};

function raisesOf(name: OperationName): string[] {
  const own = operations[name].errors as readonly ErrorName[];
  const byClass = Map.groupBy(
    own.filter((error) => !commonErrors.includes(error)),
    (error) => errorClasses[errors[error].status] ?? 'APIStatusError',
  );
  return [...byClass].map(([kind, all]) => `${kind}: ${all.map((error) => `\`\`${error}\`\``).join(', ')}.`);
}

function exampleOf(name: OperationName, isAsync: boolean): string[] {
  const { caller, path, example } = operations[name];
  const [noun, verb] = methodOf(path);
  const method = `${caller === 'client_id' ? 'partner' : 'provider'}.${snake(noun)}.${snake(verb)}`;
  const given = Object.entries(example.request as Json).filter(([field]) => field !== caller);
  const items = pageItem(name);
  if (items !== undefined) {
    const item = items.replace(/s$/, '');
    return [...callLines(`${isAsync ? 'async ' : ''}for ${item} in ${method}`, given, ':'), `    print(${item})`];
  }
  return callLines(`result = ${isAsync ? 'await ' : ''}${method}`, given, '');
}

function callLines(start: string, given: [string, unknown][], end: string): string[] {
  const line = `${start}(${given.map(([field, value]) => `${field}=${pythonLiteral(value)}`).join(', ')})${end}`;
  if (line.length <= 100) return [line];
  const lines = given.flatMap(([field, value]) => `    ${field}=${pythonLiteral(value, 4)},`.split('\n'));
  return [`${start}(`, ...lines, `)${end}`];
}

function docstring(name: OperationName, isAsync: boolean): string {
  const { summary, description, path } = operations[name];
  const indent = (depth: number) => (line: string) => (line === '' ? '' : ' '.repeat(depth) + line);
  const args = fieldsOf(name).map(([field, schema]): [string, string] => [field, argumentText(name, field, schema)]);
  const described: [string, string][] = [
    ...args.filter(([, text]) => text !== ''),
    ['options', 'Options of this call.'],
  ];
  const raises = raisesOf(name);
  return [
    `"""${summary}: \`\`${path}\`\`.`,
    '',
    ...wrapped(description, 112),
    '',
    'Args:',
    ...described.flatMap(([field, text]) => hanging(`${field}: ${text}`)),
    ...(raises.length === 0 ? [] : ['', 'Raises:', ...raises.flatMap(hanging)]),
    '',
    'Example:',
    ...exampleOf(name, isAsync).map(indent(4)),
    '"""',
  ]
    .map(indent(8))
    .join('\n');
}

function argumentText(name: OperationName, field: string, schema: Json): string {
  const items = pageItem(name);
  if (items === undefined || !['limit', 'cursor'].includes(field)) return textOf(schema);
  if (field === 'cursor') return 'Starts after the page that has this `next_cursor`.';
  return `Items per page, 1 to ${(schema.maximum as number).toLocaleString('en-US')}; the most if absent.`;
}

const hanging = (text: string): string[] =>
  wrapped(text, 104).map((line, i) => (i === 0 ? `    ${line}` : `        ${line}`));

function methodText(types: PythonTypes, name: OperationName, isAsync: boolean): string {
  const [noun, verb] = methodOf(operations[name].path);
  const method = `${snake(noun)}.${snake(verb)}`;
  const fields = fieldsOf(name);
  const parameters = fields.map(([field, , isRequired]) => {
    const type = typeOfField(types, name, field);
    return `        ${field}: ${type}${isRequired ? '' : ' | NotGiven = NOT_GIVEN'},\n`;
  });
  const answer = returnType(types, name);
  const request = `{${fields.map(([field]) => `"${field}": ${field}`).join(', ')}}`;
  const assigned =
    fields.length === 0
      ? '        request: Dict[str, Any] = {}\n'
      : 8 + `request = ${request}`.length > 120
        ? `        request = {\n${fields.map(([field]) => `            "${field}": ${field},\n`).join('')}        }\n`
        : `        request = ${request}\n`;
  const isList = pageItem(name) !== undefined;
  const returned = isList ? `${isAsync ? 'AsyncList' : 'Page'}[${answer}]` : answer;
  const passed = `self._caller, "${method}", request, options`;
  const called = passed.replace('self._caller, ', '');
  const call = isAsync ? `await self._caller.call(${called})` : `run(self._caller.call(${called}))`;
  const result = isList ? `${isAsync ? 'async_list' : 'first_page'}(${passed})` : `cast("${answer}", ${call})`;
  return `    ${isAsync && !isList ? 'async def' : 'def'} ${snake(verb)}(
        self,
        *,
${parameters.join('')}        options: CallOptions | None = None,
    ) -> ${returned}:
${docstring(name, isAsync)}
${assigned}        return ${result}
`;
}

const importLine = (from: string, all: string[], code: string): string => {
  const used = all.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  if (used.length === 0) return '';
  const line = `from ${from} import ${used.join(', ')}\n`;
  return line.length <= 121 ? line : `from ${from} import (\n${list(used)})\n`;
};

/** Everything that the generated modules know; made once, so that types have the same names everywhere. */
function generate() {
  const types = new PythonTypes();
  for (const [schema, name] of components) types.declare(name, schema as Json);
  const nouns = [...Map.groupBy(names, (name) => methodOf(operations[name].path)[0])];
  const texts = nouns.map(([noun, all]) => ({
    noun,
    blocking: all.map((name) => methodText(types, name, false)).join('\n'),
    asynchronous: all.map((name) => methodText(types, name, true)).join('\n'),
  }));
  return { types, texts };
}

function moduleText(noun: string, methods: string, isAsync: boolean, types: PythonTypes): string {
  const code = methods.replaceAll(/"""[\s\S]*?"""/g, '');
  const name = `${isAsync ? 'Async' : ''}${classOf(noun)}`;
  const caller = noun === 'rounds' ? 'provider' : 'partner';
  const standard = [
    importLine('collections.abc', ['Sequence'], code),
    importLine('typing', ['Any', 'Dict', 'Literal', 'Optional', 'cast'], code),
  ].join('');
  const own = [
    importLine('.._caller', ['Caller'], 'Caller'),
    importLine('.._options', ['NOT_GIVEN', 'CallOptions', 'NotGiven'], code),
    importLine('.._pages', ['AsyncList', 'Page', 'async_list', 'first_page'], code),
    importLine('.._runtime', ['run'], code.includes('run(') ? code : ''),
    importLine('..types', types.names().toSorted(), code),
  ].join('');
  return `${head}
${standard}
${own}

class ${name}:
    """The methods of \`\`${caller}.${snake(noun)}\`\`."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

${methods}`;
}

/** The files of the package that follow from the contract, by their paths in it. */
export function pythonFiles(): Record<string, string> {
  const { types, texts } = generate();
  const files: Record<string, string> = { '_operations.py': operationsModule(), 'types.py': types.module(head) };
  for (const isAsync of [false, true]) {
    const folder = isAsync ? 'async_resources' : 'resources';
    const imports = texts.map(({ noun }) => `from .${snake(noun)} import ${isAsync ? 'Async' : ''}${classOf(noun)}`);
    const all = texts.map(({ noun }) => `    "${isAsync ? 'Async' : ''}${classOf(noun)}",\n`).toSorted();
    files[`${folder}/__init__.py`] =
      `${head.split('\n')[0]}\n\n${imports.toSorted().join('\n')}\n\n__all__ = [\n${all.join('')}]\n`;
    for (const { noun, blocking, asynchronous } of texts) {
      files[`${folder}/${snake(noun)}.py`] = moduleText(noun, isAsync ? asynchronous : blocking, isAsync, types);
    }
  }
  return files;
}
