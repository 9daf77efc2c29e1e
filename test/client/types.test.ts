import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorName, OperationName, PartnerCalls, ProviderCalls } from '@freebets/client';
import type * as contract from '@freebets/contract';
import { operations as contractOperations } from '@freebets/contract';
import { operations } from '../../packages/client/src/operations.ts';

// The compiler checks here that the written types of the client match the contract.

type Calls = PartnerCalls & ProviderCalls;
type Caller<N> = N extends keyof PartnerCalls ? { client_id: number } : { provider_id: string };
/** A type without its own fields. */
type Nothing = Record<string, never>;
type Given<N extends keyof Calls> = Calls[N][0] extends Nothing ? Caller<N> : Calls[N][0] & Caller<N>;
type Answered<N extends keyof Calls> = Calls[N][1] extends Nothing ? object : Calls[N][1];

/** The contract types the error of an item as a string, and the client as one of the names. */
type Loose<T> = T extends ErrorName ? string : T extends object ? { [Key in keyof T]: Loose<T[Key]> } : T;

/** The compiler error names the type that is not `true`. */
type Fits<A, B> = [A] extends [B] ? true : ['does not fit', A, B];

/** In a batch the contract accepts anything, because each item is validated separately. */
type CheckedByItself = 'IssueBatch';
type Name = contract.OperationName;

/** Fails to compile unless all are true. */
const allTrue = <T extends Record<string, true>>(): T | undefined => undefined;

test('the types of requests and responses match the contract in both directions', () => {
  allTrue<{ [N in Name]: Fits<Given<N>, contract.RequestOf<N>> }>();
  allTrue<{ [N in Exclude<Name, CheckedByItself>]: Fits<contract.RequestOf<N>, Given<N>> }>();
  allTrue<{ [N in Name]: Fits<Answered<N>, contract.ResponseOf<N>> }>();
  allTrue<{ [N in Name]: Fits<contract.ResponseOf<N>, Loose<Answered<N>>> }>();
  allTrue<{ names: Fits<OperationName, Name>; errors: Fits<ErrorName, contract.ErrorName> }>();
  // @ts-expect-error: and this is what it looks like when they do not.
  allTrue<{ wrong: Fits<string, number> }>();
  assert.deepEqual(Object.keys(operations), Object.keys(contractOperations));
});
