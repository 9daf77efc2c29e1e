import { type ErrorName, type OperationName, operations } from '@freebets/contract';
import {
  classOf,
  formatted,
  head,
  importOf,
  isOptional,
  type Json,
  methodOf,
  names,
  propertiesOf,
  responseOf,
  responseType,
  rowOf,
  thingNames,
  typeOf,
} from './client-operations.ts';

// The methods of the TypeScript client with their documentation: the errors of each, and an example from the contract.

function methodLine(name: OperationName): string {
  const { summary, description, path } = operations[name];
  const { list } = rowOf(name);
  const [, verb] = methodOf(path);
  const parameters = `request${isOptional(name) ? '?' : ''}: ${name}Request, options?: CallOptions`;
  const item = list && typeOf((propertiesOf(responseOf(name))[list] as Json).items as Json);
  const response = responseType(name);
  const returned = item === undefined ? `Promise<WithRequestId<${response}>>` : `List<${response}, ${item}>`;
  const text = [`${summary}: \`${path}\`. ${description}`, ...thrownText(name)].flatMap(wrapped);
  const lines = [...text, '@example', ...exampleOf(name)];
  return `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n${verb}(${parameters}): ${returned};`;
}

const wrapped = (text: string): string[] => (text.match(/.{1,106}(?: |$)/g) ?? []).map((line) => line.trim());

/** The classes of the errors that the operation can return in addition to those of every operation. */
function thrownText(name: OperationName): string[] {
  const byClass = Map.groupBy<string, ErrorName>(operations[name].errors, classOf);
  return [...byClass].map(([of, all]) => `@throws {${of}} ${all.map((error) => `\`${error}\``).join(', ')}`);
}

/** What the contract shows as the request, as a call. */
function exampleCall(name: OperationName): string {
  const { path, caller, example } = operations[name];
  const { list } = rowOf(name);
  const { [caller]: _, ...request } = example.request as Json;
  const given = Object.keys(request).length === 0 ? '' : JSON.stringify(request);
  const call = `${caller === 'client_id' ? 'partner' : 'provider'}.${methodOf(path).join('.')}(${given})`;
  if (list !== undefined) {
    const item = camel(list).replace(/s$/, '');
    return `for await (const ${item} of ${call}) console.log(${item});`;
  }
  return responseType(name) === 'object' ? `await ${call};` : `const response = await ${call};`;
}

const camel = (text: string) => text.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** All examples are formatted at once, because the formatter takes long to start. */
const examples = new Map<OperationName, string[]>();

function exampleOf(name: OperationName): string[] {
  if (examples.size === 0) {
    const source = names.map((each) => `// ${each}\n{\n${exampleCall(each)}\n}\n`).join('');
    for (const part of formatted(source)
      .split(/^\/\/ /m)
      .slice(1)) {
      const [each, , ...lines] = part.trimEnd().split('\n');
      examples.set(
        each as OperationName,
        lines.slice(0, -1).map((line) => line.slice(2)),
      );
    }
  }
  return examples.get(name) ?? [];
}

function methodsOf(caller: string, title: string): string {
  const wanted = names.filter((name) => operations[name].caller === caller);
  const byNoun = Map.groupBy(wanted, (name) => methodOf(operations[name].path)[0]);
  const parts = [...byNoun].map(([noun, all]) => `${noun}: {\n${all.map(methodLine).join('\n')}\n};`);
  const calls = wanted.map((name) => `${name}: [request: ${name}Request, response: ${responseType(name)}];`);
  return `/** A method for each operation of a ${title.toLowerCase()}. */
export interface ${title}Methods {\n${parts.join('\n')}\n}

/** The request and the response of each operation, by its name. */
export interface ${title}Calls {\n${calls.join('\n')}\n}
`;
}

/** The methods of one kind of caller. */
export const clientMethods = (caller: 'client_id' | 'provider_id') => (): string => {
  const text = methodsOf(caller, caller === 'client_id' ? 'Partner' : 'Provider');
  const named = (part: string) => names.map((name) => `${name}${part}`);
  const imports = [
    importOf(text, named('Response'), 'answers.ts'),
    "import type { CallOptions, WithRequestId } from './caller.ts';\nimport type { List } from './lists.ts';\n",
    importOf(text, named('Request'), 'requests.ts'),
    importOf(text, thingNames, 'things.ts'),
  ];
  return formatted(`${head}\n${imports.join('')}\n${text}`);
};
