import { test } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { listenLive, type Message } from '../../../support/live.ts';
import { directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { signedIn } from '../../../support/staff.ts';

// The stream of the console after a restore: new events have the numbers of lost ones, so listeners must not continue
// by number.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const viewer = await signedIn(sql, 'viewer');

const issue = async (): Promise<string> => accepted('Issue', await call(url, 'Issue', directIssue())).issue_id;
const isIssue = (issueId: string) => (message: Message) =>
  message.name === 'happened' && JSON.stringify(message.data).includes(issueId);

test('listeners get a reset when an older database replaces the current one', async () => {
  const stream = await listenLive(url, viewer, { clientId: 1 });
  await stream.has('the first', isIssue(await issue()));
  // Like a restore after which new events have passed the old numbers: the numbers alone do not show it.
  await sql.query(
    `BEGIN; CREATE TABLE heads AS TABLE event_heads; TRUNCATE event_heads; INSERT INTO event_heads TABLE heads;
     DROP TABLE heads; COMMIT`,
  );
  await stream.has('reset', ({ name }) => name === 'reset');
  await stream.has('what comes after', isIssue(await issue()));
  stream.close();
});
