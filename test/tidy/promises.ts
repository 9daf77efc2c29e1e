import { type Node, parseSync } from 'oxc-parser';
import type { Source } from './source.ts';

// Finds promises without a handler for their failure that `void` drops, or that a timer or a listener gets. Biome's
// `noFloatingPromises` finds dropped promises that are statements, but allows `void`. End such a promise with `.catch(…)`, even if
// it should never fail: in the server with the handler for faults, in a browser with `reportError`.
//
// Without types a function is async if its file declares one of that name as async, or, for other names, if any file does.

type Declared = Map<string, boolean>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

function nodesBelow(root: Node): Node[] {
  const nodes = [root];
  for (const node of nodes) {
    for (const value of Object.values(node)) {
      if (isNode(value)) nodes.push(value);
      else if (Array.isArray(value)) nodes.push(...value.filter(isNode));
    }
  }
  return nodes;
}

const nameOf = (node: Node | null | undefined): string | undefined =>
  node?.type === 'Identifier' ? node.name : undefined;

const isPromise = (type: Node | null | undefined): boolean =>
  type?.type === 'TSTypeAnnotation'
    ? isPromise(type.typeAnnotation)
    : type?.type === 'TSTypeReference' && nameOf(type.typeName as Node) === 'Promise';

const isAsync = (node: Node | null | undefined): boolean =>
  (node?.type === 'FunctionDeclaration' ||
    node?.type === 'FunctionExpression' ||
    node?.type === 'ArrowFunctionExpression') &&
  (node.async ||
    isPromise(node.returnType) ||
    (node.type === 'ArrowFunctionExpression' && node.expression && isAsyncCall(node.body)));

/** Such as `Promise.all(…)`, or a chain. */
const isAsyncCall = (node: Node): boolean =>
  node.type === 'CallExpression' &&
  node.callee.type === 'MemberExpression' &&
  (nameOf(node.callee.object) === 'Promise' ||
    ['then', 'catch', 'finally'].includes(nameOf(node.callee.property) ?? ''));

function declaredIn(program: Node): Declared {
  const declared: Declared = new Map();
  const add = (name: string | undefined, is: boolean) => {
    if (name !== undefined) declared.set(name, is || declared.get(name) === true);
  };
  for (const node of nodesBelow(program)) {
    if (node.type === 'FunctionDeclaration') add(nameOf(node.id), isAsync(node));
    else if (node.type === 'VariableDeclarator' && node.init && /Function/.test(node.init.type))
      add(nameOf(node.id), isAsync(node.init));
    else if (node.type === 'Property' || node.type === 'MethodDefinition') {
      if (node.value && /Function/.test(node.value.type)) add(nameOf(node.key), isAsync(node.value));
    } else if (node.type === 'TSMethodSignature') add(nameOf(node.key), isPromise(node.returnType));
    else if (node.type === 'TSPropertySignature') add(nameOf(node.key), isPromise(node.typeAnnotation));
  }
  return declared;
}

/** React Query and the router of the console show these failures themselves. */
const reportedElsewhere = ['navigate', 'refetch', 'fetchNextPage', 'invalidateQueries'];

function isDropped(node: Node, isAsyncName: (name: string) => boolean): boolean {
  if (node.type === 'ConditionalExpression')
    return isDropped(node.consequent, isAsyncName) || isDropped(node.alternate, isAsyncName);
  if (node.type === 'LogicalExpression') return isDropped(node.right, isAsyncName);
  if (node.type === 'ChainExpression') return isDropped(node.expression, isAsyncName);
  if (node.type === 'MemberExpression') return isAsyncName(nameOf(node.property) ?? '');
  if (node.type === 'Identifier') return isAsyncName(node.name);
  if (node.type !== 'CallExpression') return false;
  const { callee } = node;
  const name = nameOf(callee.type === 'MemberExpression' ? callee.property : callee) ?? '';
  if (name === 'catch' || (name === 'then' && node.arguments.length > 1)) return false;
  if (name === 'then') return true;
  if (name === 'finally' && callee.type === 'MemberExpression') return isDropped(callee.object, isAsyncName);
  if (reportedElsewhere.includes(name)) return false;
  return isAsyncCall(node) || isAsyncName(name);
}

/** These are synchronous methods of Node.js too, and are not looked for in other files. */
const alsoSynchronous = ['add', 'cancel', 'destroy', 'release'];

const timers = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];
const listeners = ['on', 'once', 'addEventListener', 'subscribe'];

/** As `path:line text`. */
export function droppedPromises(sources: Pick<Source, 'path' | 'text'>[]): string[] {
  const files = sources.map(({ path, text }) => {
    const program = parseSync(path, text).program as Node;
    return { path, text, program, declared: declaredIn(program) };
  });
  const anywhere: Declared = new Map();
  for (const { declared } of files)
    for (const [name, is] of declared) anywhere.set(name, is || anywhere.get(name) === true);
  return files.flatMap(({ path, text, program, declared }) => {
    const isAsyncName = (name: string) =>
      declared.get(name) ?? (!alsoSynchronous.includes(name) && anywhere.get(name) === true);
    const found = nodesBelow(program).flatMap((node) => {
      if (node.type === 'UnaryExpression' && node.operator === 'void')
        return isDropped(node.argument, isAsyncName) ? [node] : [];
      if (node.type !== 'CallExpression') return [];
      const { callee } = node;
      const isMember = callee.type === 'MemberExpression';
      const name = nameOf(isMember ? callee.property : callee) ?? '';
      if (!(isMember ? listeners : timers).includes(name)) return [];
      return node.arguments.filter(
        (given) =>
          (given.type === 'ArrowFunctionExpression' &&
            (given.async || (given.expression && isDropped(given.body, isAsyncName)))) ||
          (given.type === 'Identifier' && declared.get(given.name) === true),
      );
    });
    return found.map(
      ({ start, end }) => `${path}:${text.slice(0, start).split('\n').length} ${text.slice(start, end).split('\n')[0]}`,
    );
  });
}
