import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { idFromPath, idInPath } from '../../packages/console/src/ui/address.ts';

test('an ID survives the round trip through an address as one path segment', () => {
  const id = fc.oneof(
    fc.constantFrom('.', '..', '~.', '~..', '~~.', '...', '~', 'new', 'a/b?c#d%2E', '%2E', '%2e%2e', '\\'),
    fc.string({ minLength: 1, unit: 'grapheme' }),
  );
  fc.assert(
    fc.property(id, (id) => {
      const { pathname, search, hash } = new URL(`http://console/p/1/campaigns/${idInPath(id)}`);
      const parts = pathname.split('/');
      assert.deepEqual([parts.length, search, hash], [5, '', '']);
      assert.equal(idFromPath(decodeURIComponent(parts[4] ?? '')), id);
    }),
  );
});
