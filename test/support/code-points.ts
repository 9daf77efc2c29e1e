import fc from 'fast-check';

const surrogates = { from: 0xd800, count: 0x800 };

/**
 * A unit of strings: any code point except surrogates, like `unit: 'binary'`. That one takes 1.5 s to create and
 * keeps a map of a million code points.
 */
export const codePoint = fc
  .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0x10ffff - surrogates.count }))
  .map((n) => String.fromCodePoint(n < surrogates.from ? n : n + surrogates.count));
