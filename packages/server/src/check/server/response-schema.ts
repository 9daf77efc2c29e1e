import { basePath, compileSchema, type OperationName, operations, type Validate } from '@freebets/contract';
import { bodyIn, type Exchange } from '../exchange.ts';

// Checks every response against the schema in the reference, for any rule.

/** The first response of each operation that does not match the reference, and why. */
export type Mismatches = Map<OperationName, { reason: string; exchange: Exchange }>;

const validators = new Map<OperationName, Validate>();

function wrongIn(name: OperationName, exchange: Exchange): string | undefined {
  const { request, answer } = exchange;
  if (answer === null) return undefined;
  const type = answer.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) return `its Content-Type is ${type || 'missing'}`;
  // Refusals have their own rules, and a request sent to another path or with another method is no call of this
  // operation.
  const isOwn = request.method === 'POST' && request.url.endsWith(basePath + operations[name].path);
  if (answer.status !== 200 || !isOwn) return undefined;
  const validate = validators.get(name) ?? compileSchema(operations[name].response);
  validators.set(name, validate);
  const [first] = validate(bodyIn(exchange) ?? undefined);
  return first && `${first.field || 'it'} ${first.reason.replace('of this request', 'of this response')}`;
}

export function noteMismatch(mismatches: Mismatches, name: OperationName, exchange: Exchange): void {
  const reason = mismatches.has(name) ? undefined : wrongIn(name, exchange);
  if (reason !== undefined) mismatches.set(name, { reason, exchange });
}
