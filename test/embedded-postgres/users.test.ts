import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { answers, makeStage, query } from './stage.ts';

test('a command works beside a server, and leaves the database to it', async (t) => {
  const stage = await makeStage(t);
  const server = await stage.open({ use: 'serve' });
  const postmaster = await stage.postmaster();
  await query(server.connection, 'create table shared as select 1 as value');
  const command = stage.spawn({ use: 'command' });
  const { opened } = await command.next();
  assert(opened);
  assert.deepEqual(await query(opened, 'select value from shared'), [{ value: 1 }]);
  await command.release();
  assert.equal(await stage.postmaster(), postmaster);
  assert(await answers(server.connection));
  await server.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('a command without a server starts the database, and stops it', async (t) => {
  const stage = await makeStage(t);
  const command = await stage.open({ use: 'command' });
  assert(await answers(command.connection));
  await command.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('the last one out stops the database, also when the server goes first', async (t) => {
  const stage = await makeStage(t);
  const server = stage.spawn({ use: 'serve' });
  await server.next();
  const postmaster = await stage.postmaster();
  const command = await stage.open({ use: 'command' });
  await server.release();
  assert.equal(await stage.postmaster(), postmaster);
  const next = await stage.open({ use: 'serve' });
  assert.equal(await stage.postmaster(), postmaster);
  await Promise.all([next.release(), command.release()]);
  assert.equal(await stage.postmaster(), undefined);
});

test('a second server is refused in one sentence, and the first is not disturbed', async (t) => {
  const stage = await makeStage(t);
  const first = stage.spawn({ use: 'serve' });
  const { opened } = await first.next();
  assert(opened);
  const postmaster = await stage.postmaster();
  const client = new pg.Client(opened);
  await client.connect();
  try {
    const begun = performance.now();
    await assert.rejects(stage.open({ use: 'serve' }), {
      name: 'EmbeddedError',
      message: `A Freebets server is already running on ${stage.dataDir} (process ${first.process.pid}).`,
    });
    assert(performance.now() - begun < 2_000, 'the refusal comes at once');
    assert.deepEqual((await client.query('select 1 as one')).rows, [{ one: 1 }]);
    assert.equal(await stage.postmaster(), postmaster);
  } finally {
    await client.end();
  }
  await first.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('many users coming and going at once never fail, and the last one stops the database', async (t) => {
  const stage = await makeStage(t);
  await (await stage.open({ use: 'command' })).release();
  const visit = async (): Promise<void> => {
    const database = await stage.open({ use: 'command' });
    await query(database.connection, 'select 1');
    await database.release();
  };
  const visits = Array.from({ length: 6 }, async () => {
    for (let round = 0; round < 6; round += 1) await visit();
  });
  const processes = Array.from({ length: 3 }, async () => {
    for (let round = 0; round < 2; round += 1) {
      const opener = stage.spawn({ use: 'command' });
      const said = await opener.next();
      assert(said.opened, said.error ?? '');
      await query(said.opened, 'select 1');
      await opener.release();
    }
  });
  await Promise.all([...visits, ...processes]);
  assert.equal(await stage.postmaster(), undefined);
});
