import assert from 'node:assert/strict';
import { createSecretKey, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { sign, timedPrefix } from '@freebets/contract';
import type { Access } from '../../../packages/server/src/edge/authentication.ts';
import { type Call, type Reason, refusalReason } from '../../../packages/server/src/edge/authentication.ts';
import { networksOf } from '../../../packages/server/src/primitives/networks.ts';

const [newest, previous, other] = ['newest', 'previous', 'other'].map((secret) => createSecretKey(secret, 'utf8'));
assert(newest && previous && other);
const keys = [newest, previous];
const plain: Access = { keys, isStrict: false, allowFrom: undefined };
const strict: Access = { ...plain, isStrict: true };
const here = '203.0.113.7';
const nobodyCanTell = 'unknown';
const guarded: Access = { ...plain, allowFrom: networksOf(['203.0.113.0/24']) };
const path = '/v3/Game/List';
const nowMs = 1_760_000_000_000;

interface Sent {
  key?: KeyObject;
  time?: string | undefined;
  body?: Uint8Array;
  address?: string;
}

function callOf({ key = newest as KeyObject, time, body = Buffer.from('{}'), address = here }: Sent) {
  const counts = { addresses: 0, hmacs: 0 };
  const prefix = time === undefined ? '' : timedPrefix(time, path);
  const headers = { 'x-request-sign': sign(body, key, prefix), ...(time !== undefined && { 'x-request-time': time }) };
  const call: Call = {
    path,
    headers,
    nowMs,
    // Every HMAC reads the body from here.
    get body() {
      counts.hmacs += 1;
      return body;
    },
    address() {
      counts.addresses += 1;
      return address === nobodyCanTell ? undefined : address;
    },
  };
  return { call, counts };
}

const late = String(nowMs / 1000 - 301);
const inTime = String(nowMs / 1000 - 300);

/** The caller, the request and the result. */
const cases: [Access | undefined, Sent, Reason | undefined][] = [
  [plain, {}, undefined],
  [plain, { key: previous }, undefined],
  [plain, { time: inTime }, undefined],
  [strict, { time: inTime, key: previous }, undefined],
  [guarded, {}, undefined],
  [guarded, { key: previous }, undefined],
  [guarded, { address: '::ffff:203.0.113.200' }, undefined],
  [plain, { key: other }, 'wrong_signature'],
  [undefined, {}, 'wrong_signature'],
  [{ ...plain, keys: [] }, {}, 'wrong_signature'],
  [strict, {}, 'time_missing'],
  [strict, { key: previous }, 'time_missing'],
  [strict, { key: other }, 'wrong_signature'],
  [plain, { time: late }, 'time_off'],
  [plain, { time: late, key: previous }, 'time_off'],
  [plain, { time: 'late' }, 'time_malformed'],
  [plain, { time: late, key: other }, 'wrong_signature'],
  [guarded, { address: '198.51.100.1' }, 'address_not_allowed'],
  [guarded, { address: '198.51.100.1', key: previous }, 'address_not_allowed'],
  [guarded, { address: nobodyCanTell }, 'address_not_allowed'],
  [guarded, { address: '198.51.100.1', key: other }, 'wrong_signature'],
  [{ ...guarded, isStrict: true }, { address: '198.51.100.1' }, 'time_missing'],
];

test('an authenticated caller is admitted, and each refusal has its reason', () => {
  for (const [access, sent, reason] of cases) {
    assert.equal(refusalReason(access, callOf(sent).call), reason, JSON.stringify({ sent, reason }));
  }
});

test('an admitted caller without allowed networks has no address check', () => {
  for (const [access, sent, reason] of cases) {
    const { call, counts } = callOf(sent);
    refusalReason(access, call);
    if (reason === undefined) assert.equal(counts.addresses, access?.allowFrom === undefined ? 0 : 1);
  }
});

test('every refusal costs two HMACs and one address check', () => {
  for (const [access, sent, reason] of cases) {
    const { call, counts } = callOf(sent);
    refusalReason(access, call);
    if (reason !== undefined) assert.deepEqual(counts, { hmacs: 2, addresses: 1 }, JSON.stringify({ sent, reason }));
  }
});
