import fc from 'fast-check';
import type { Json } from './mutations.ts';

// Faults between a value and its bytes: broken text, broken encoding, and unexpected sizes.

export interface ByteChange {
  kind: 'flip' | 'insert' | 'cut' | 'prefix' | 'suffix' | 'twice' | 'instead';
  where: number;
  bytes: Buffer;
}

const texts = [
  '',
  ' '.repeat(1000),
  '\ufeff',
  ',',
  '}',
  ']',
  '//',
  '/* */',
  '\0',
  'NaN',
  '-Infinity',
  '0x10',
  '1e999',
  '"\\u12"',
  '"\\ud800"',
  "'",
  '{"client_id":2}',
  ',"client_id":1',
  '{"client_id":1}',
  '{"client_id":1,"client_id":1}',
  '{"client_id":1e0}',
  '{"client_id":1.0000000000000000001}',
  '{"client_id":99999999999999999999}',
  '{"client_id":"1"}',
  '{"client_id":[1]}',
  '{"__proto__":{"client_id":1}}',
  'null',
  'true',
  '[]',
  '[{"client_id":1}]',
  '"client_id"',
  '['.repeat(2000),
  '{"a":'.repeat(2000),
];
const encodings = [
  Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  Buffer.from([0xc0, 0xaf]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xf8, 0x88, 0x80, 0x80, 0x80]),
  Buffer.from([0x1f, 0x8b, 0x08, 0x00]),
  Buffer.alloc(500, 0xff),
];
/** The largest that is taken, and one more; rare, because each costs as much as a hundred others. */
const large = [1024 * 1024 - 200, 1024 * 1024, 1024 * 1024 + 1].map((size) => Buffer.alloc(size, ' '));
const deep = Buffer.from(`{"client_id":1,"items":${'['.repeat(200_000)}${']'.repeat(200_000)}}`);

const bytes: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...texts).map((text) => Buffer.from(text)) },
  { weight: 20, arbitrary: fc.constantFrom(...encodings) },
  { weight: 20, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 8 }).map((array) => Buffer.from(array)) },
  { weight: 1, arbitrary: fc.constantFrom(...large, deep) },
);

const byteChange: fc.Arbitrary<ByteChange> = fc.record({
  kind: fc.constantFrom('flip', 'insert', 'cut', 'prefix', 'suffix', 'twice', 'instead'),
  where: fc.nat(2000),
  bytes,
});

/** Mostly none, so that the service sees the changed value. */
export const byteChanges: fc.Arbitrary<ByteChange[]> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<ByteChange[]>([]) },
  { weight: 1, arbitrary: fc.array(byteChange, { minLength: 1, maxLength: 2 }) },
);

function changed(body: Buffer, { kind, where, bytes }: ByteChange): Buffer {
  const at = where % (body.length + 1);
  switch (kind) {
    case 'flip':
      return Buffer.concat([body.subarray(0, at), Buffer.from([where % 256]), body.subarray(at + 1)]);
    case 'insert':
      return Buffer.concat([body.subarray(0, at), bytes, body.subarray(at)]);
    case 'cut':
      return body.subarray(0, at);
    case 'prefix':
      return Buffer.concat([bytes, body]);
    case 'suffix':
      return Buffer.concat([body, bytes]);
    case 'twice':
      return Buffer.concat([body, body]);
    case 'instead':
      return bytes;
  }
}

export const bodyBytes = (value: Json, wanted: ByteChange[]): Buffer =>
  wanted.reduce(changed, Buffer.from(JSON.stringify(value)));
