import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type } from '../../packages/contract/src/type.ts';

// Our builders of schemas against those of TypeBox, whose types they have.

type Builders = typeof Type;

/** Built with one or the other, to the last key and in the same order. */
const built: Record<keyof Builders, (type: Builders) => unknown> = {
  Array: (type) => [type.Array(type.String()), type.Array(type.Null(), { minItems: 1 })],
  Boolean: (type) => [type.Boolean(), type.Boolean({ description: 'said' })],
  Enum: (type) => type.Enum(['a', 'b'], { description: 'said' }),
  Integer: (type) => [type.Integer(), type.Integer({ minimum: 1 })],
  Literal: (type) => [type.Literal('a'), type.Literal(1), type.Literal(true, { description: 'said' })],
  Null: (type) => [type.Null(), type.Null({ description: 'said' })],
  Number: (type) => [type.Number(), type.Number({ minimum: 0.5 })],
  Object: (type) => [
    type.Object({}),
    type.Object({ a: type.String(), b: type.Optional(type.String()), c: type.Null() }, { additionalProperties: false }),
    type.Object({ a: type.Optional(type.Null()) }),
    type.Object({ spread: { ...type.Optional(type.String()) }, within: type.Object({ a: type.Unknown() }) }),
  ],
  Optional: (type) => {
    const shared = type.String({ maxLength: 3 });
    return [type.Optional(shared), type.Object({ a: type.Optional(shared), b: shared })];
  },
  Record: (type) => type.Record(type.String(), type.Integer(), { description: 'said' }),
  String: (type) => [type.String(), type.String({ maxLength: 3, pattern: '^a' })],
  Union: (type) => type.Union([type.String(), type.Null()], { description: 'said' }),
  Unknown: (type) => [type.Unknown(), type.Unknown({ description: 'said' })],
  Unsafe: (type) => [type.Unsafe({ type: 'object', if: {} }), type.Unsafe(type.Array(type.Null()))],
};

for (const [name, build] of Object.entries(built)) {
  test(`${name} builds what TypeBox builds`, () => {
    assert.equal(JSON.stringify(build(Type)), JSON.stringify(build(TypeBox)));
  });
}
