import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenAmong, type Report } from '../../../packages/server/src/check/check.ts';
import { serverChecks } from '../../../packages/server/src/check/server/server-check.ts';
import { testDatabase } from '../../support/database.ts';
import { runCommand, testServer } from '../../support/server.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

for (const [signing, ...only] of [['plain'], ['strict', '--only', 'signature,limits,isolation']] as const) {
  test(`our own server is certified, by a partner with ${signing} signing`, async () => {
    const { stdout, stderr, code } = await runCommand(
      env,
      'check',
      'server',
      url,
      '--signing',
      signing ?? '',
      ...only,
      '--json',
    );
    assert.equal(stderr, '');
    const report: Report = JSON.parse(stdout);
    assert.deepEqual(
      report.results.filter(({ verdict }) => verdict !== 'passed').map(({ id, reason }) => `${id}: ${reason}`),
      [],
    );
    assert.deepEqual({ code, certified: report.certified }, { code: 0, certified: only.length === 0 });
    const links = new Set(report.results.map(({ guide }) => guide));
    assert.ok([...links].every((link) => link.startsWith(`${url}/docs/`)));
    const pages = new Map<string, string>();
    for (const link of links) {
      const [page = '', anchor] = link.split('#');
      if (!pages.has(page)) pages.set(page, await (await fetch(page)).text());
      assert.ok(pages.get(page)?.includes(`id="${anchor}"`), link);
    }
    const chosen = chosenAmong(serverChecks, only[1]?.split(','));
    assert.deepEqual(
      report.results.map(({ id }) => id),
      chosen.map(({ id }) => id),
    );
  });
}
