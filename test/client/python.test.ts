import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { certificate } from '../server/events/webhooks/endpoint.ts';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';

// The Python package: its own tests, its types, and its wheel in an empty environment.

const source = fileURLToPath(new URL('../../clients/python', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'freebets-python-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Given {
  env?: Record<string, string>;
  cwd?: string;
}

/** Asynchronous, because the server of the last test runs in this process. */
async function run(program: string, args: string[], { env = {}, cwd = folder }: Given = {}): Promise<string> {
  const { PATH = '' } = process.env;
  // Users have none of our settings.
  const own = { PATH, HOME: folder, TMPDIR: folder, PYTHONDONTWRITEBYTECODE: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' };
  const { stdout } = await promisify(execFile)(program, args, { cwd, env: { ...own, ...env } });
  return stdout;
}

const works = (program: string, args: string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  );

const python = 'python3';
const hasPython = await works(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
/** Setuptools needs the package `wheel` before version 70.1. */
const buildTools = `import ensurepip, setuptools.build_meta, venv
try:
    import wheel
except ImportError:
    import setuptools.command.bdist_wheel
`;
/** A machine may have several; not all have the tools. */
const canBuild = (program: string) => works(program, ['-c', buildTools]);
const builder = (await canBuild(python))
  ? python
  : (await canBuild('/usr/bin/python3'))
    ? '/usr/bin/python3'
    : undefined;
const hasMypy = await works('mypy', ['--version']);

test('the tests of the package pass', {
  skip: !hasPython && 'python3 is not installed, or older than 3.9',
}, async () => {
  const [CERTIFICATE, KEY] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  writeFileSync(CERTIFICATE, certificate.cert);
  writeFileSync(KEY, certificate.key);
  const env = { PYTHONPATH: join(source, 'src'), CERTIFICATE, KEY };
  await run(python, ['-W', 'error', '-m', 'unittest'], { env, cwd: join(source, 'tests') });
});

/** The sources without what a build writes. */
function copyOfSources(name: string): string {
  const copy = join(folder, name);
  cpSync(source, copy, { recursive: true, filter: (path) => !/__pycache__|\.egg-info|\/build$|_cache$/.test(path) });
  return copy;
}

test('mypy finds no error in the package', { skip: !hasMypy && 'mypy is not installed' }, async () => {
  const cwd = copyOfSources('typed');
  for (const version of ['3.9', '3.11']) {
    await run('mypy', ['--python-version', version, '--cache-dir', join(folder, 'cache')], { cwd });
  }
});

const user = `import asyncio
from typing import List

from freebets import AsyncPartner, ConflictError, Partner, Provider, request_id_of, verify_webhook
from freebets.types import FreeBet


def first(partner: Partner) -> FreeBet:
    return partner.free_bets.issue(campaign_id="one", player_id="two", currency="EUR", options={"max_retries": 0})


def all_ids(partner: Partner) -> List[str]:
    ids = [free_bet["issue_id"] for free_bet in partner.free_bets.list(status="active")]
    for event in partner.follow_events(after={"sequence": 1, "event_id": "one"}):
        if event["type"] == "freebet.settled":
            ids.append(event["data"]["bet"]["bet_id"])
    job = partner.jobs.run([{"player_id": "one", "currency": "EUR"}], name="A job", campaign_id="one")
    return [*ids, job["job_id"]]


async def ids(partner: AsyncPartner) -> List[str]:
    page = await partner.free_bets.list(limit=1)
    return [one["issue_id"] for one in page.data] + [one["issue_id"] async for one in partner.free_bets.list()]


def settled(provider: Provider) -> str:
    try:
        return provider.rounds.settle(client_id=1, bet_id="one", result="lost")["win_amount"]
    except ConflictError as error:
        return error.request_id or str(error.details[0]["field"])


def kind(body: bytes) -> str:
    return verify_webhook(body, {}, ["a", "b"])["type"]


def wrong(partner: Partner) -> None:
    partner.free_bets.issue(player_id="x", currency="EUR", bet_amount=1)  # type: ignore[arg-type]
    partner.free_bets.issue(player_id="x", currency="EUR", colour="red")  # type: ignore[call-arg]
    partner.rounds  # type: ignore[attr-defined]
    partner.free_bets.list(status="over")  # type: ignore[arg-type]


if __name__ == "__main__":
    import sys

    with Partner(sys.argv[1], client_id=1, secret="demo-partner-secret") as partner:
        games = partner.games.list()
        print(len(games["providers"]), request_id_of(games) is not None)

    async def main() -> None:
        async with AsyncPartner(sys.argv[1], client_id=1, secret="demo-partner-secret") as partner:
            print(len((await partner.games.list())["providers"]))

    asyncio.run(main())
`;

test('the wheel is installed alone, and works', {
  skip: !builder && 'no Python with setuptools and wheel',
}, async () => {
  assert.ok(builder);
  const wheels = join(folder, 'wheels');
  const build = ['-m', 'pip', 'wheel', '--quiet', '--no-index', '--no-deps', '--no-build-isolation', '-w', wheels];
  await run(builder, [...build, copyOfSources('built')]);
  const [wheel = ''] = readdirSync(wheels);
  assert.match(wheel, /^freebets-\d+\.\d+\.\d+-py3-none-any\.whl$/);
  const environment = join(folder, 'environment');
  await run(builder, ['-m', 'venv', environment]);
  const installed = join(environment, 'bin/python');
  await run(installed, ['-m', 'pip', 'install', '--quiet', '--no-index', join(wheels, wheel)]);
  const where = 'import freebets, os; print(os.path.dirname(freebets.__file__))';
  const files = (await run(installed, ['-I', '-c', where])).trim();
  assert.ok(files.startsWith(environment), files);
  assert.ok(existsSync(join(files, 'py.typed')));
  assert.ok(!existsSync(join(files, '../tests')), 'the tests are not installed');
  const program = join(folder, 'user.py');
  writeFileSync(program, user);
  const { env } = await testDatabase();
  const { url } = await testServer(env);
  assert.equal(await run(installed, [program, url]), '3 True\n3\n');
  if (hasMypy) {
    await run('mypy', ['--strict', '--python-executable', installed, '--cache-dir', join(folder, 'cache'), program]);
  }
});
