import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

const issue = (changes: object) => call(url, 'Issue', directIssue(changes));

test('a time that does not exist is refused', async () => {
  const times = [
    '2027-02-30T00:00:00Z',
    '2027-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2027-04-31T00:00:00Z',
    '2027-00-10T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '2027-01-00T00:00:00Z',
    '2027-01-32T00:00:00Z',
    '2027-01-01T24:00:00Z',
    '2027-01-01T23:60:00Z',
    '2027-01-01T23:59:60Z',
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999Z',
  ];
  for (const time of times) {
    refused('invalid_request', await issue({ valid_until: time }), ['valid_until']);
    refused('invalid_request', await issue({ valid_from: time }), ['valid_from']);
  }
});

test('a time in another form is refused', async () => {
  const times = [
    '2099-01-01',
    '2099-01-01T00:00Z',
    '2099-01-01T00:00:00',
    '2099-01-01T00:00:00+00:00',
    '2099-01-01T00:00:00z',
    '2099-01-01t00:00:00Z',
    '2099-01-01 00:00:00Z',
    '2099-1-1T00:00:00Z',
    '2099-01-01T00:00:00.Z',
    '2099-01-01T00:00:00,5Z',
    '2099-01-01T00:00:00.1234567890Z',
    '+002099-01-01T00:00:00Z',
    '10000-01-01T00:00:00Z',
    '20990101T000000Z',
    ' 2099-01-01T00:00:00Z',
    '2099-01-01T00:00:00Z\n',
    'tomorrow',
    '',
    4_070_908_800,
    null,
  ];
  for (const time of times) refused('invalid_request', await issue({ valid_until: time }), ['valid_until']);
});

test('leap days and the bounds of the years are taken, and read back with milliseconds', async () => {
  const times: [from: string, until: string, fromRead: string, untilRead: string][] = [
    ['2024-02-29T00:00:00Z', '2096-02-29T23:59:59.5Z', '2024-02-29T00:00:00.000Z', '2096-02-29T23:59:59.500Z'],
    ['2000-02-29T00:00:00.01Z', '2400-02-29T00:00:00Z', '2000-02-29T00:00:00.010Z', '2400-02-29T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
    [
      '1970-01-01T00:00:00.0009Z',
      '9999-12-31T23:59:59.999999999Z',
      '1970-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ],
  ];
  for (const [valid_from, valid_until, fromRead, untilRead] of times) {
    const { issue_id } = accepted('Issue', await issue({ valid_from, valid_until, duration_min: 525_600 }));
    const read = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id }));
    assert.deepEqual([read.valid_from, read.valid_until], [fromRead, untilRead]);
  }
});
