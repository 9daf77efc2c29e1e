import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { GameListResponse } from '@freebets/contract';
import { alternate, type Bench, find, rate } from '../bench.ts';
import { type BenchServer, createDatabase, startProgram, startServer } from '../server.ts';

const gameCount = 1000;
/** Short, because each has tens of thousands of requests. */
const seconds = 1;
const connections = 64;

/** The demo catalogue with this many games. */
function manyGames(catalogue: GameListResponse): GameListResponse {
  const [provider] = catalogue.providers;
  const [game] = provider?.games ?? [];
  if (provider === undefined || game === undefined) throw new Error('the demo has no games');
  const games = Array.from({ length: gameCount }, (_, i) => ({ ...game, id: `game-${i}`, title: `Game ${i}` }));
  return { ...catalogue, providers: [{ ...provider, games }] };
}

const listOf = (server: BenchServer): Promise<GameListResponse> => server.call('GameList', server.demo, {});

/** Game/List with 1,000 games, against bare node:http that sends the same bytes. */
export async function gameList(bench: Bench): Promise<void> {
  await createDatabase(bench.socketDir, 'games');
  const folder = mkdtempSync(join(tmpdir(), 'freebets-games-'));
  const server = await startServer(bench.socketDir, 'games');
  try {
    const files = {
      catalogue: join(folder, 'catalogue.json'),
      plain: join(folder, 'plain'),
      gzip: join(folder, 'gzip'),
    };
    writeFileSync(files.catalogue, JSON.stringify(manyGames(await listOf(server))));
    await server.command('catalogue', 'import', files.catalogue);
    let list = await listOf(server);
    while (list.providers.flatMap(({ games }) => games).length !== gameCount) list = await listOf(server);
    const text = JSON.stringify(list);
    writeFileSync(files.plain, text);
    writeFileSync(files.gzip, gzipSync(text));
    const etag = (await server.send('GameList', server.demo, {})).headers.get('etag') ?? '';
    const bare = await startProgram('./bare.ts', files.plain, files.gzip, etag);
    const forms = { plain: {}, gzip: { 'Accept-Encoding': 'gzip' }, 304: { 'If-None-Match': etag } };
    const requests = [{ body: { client_id: 1 } }];
    try {
      for (const [form, headers] of Object.entries(forms)) {
        const load = (port: number) =>
          ({ port, operation: 'GameList', requests, connections, seconds, headers }) as const;
        const found = await alternate({
          ours: () => rate(bench, `Game/List, ${form}`, load(server.port)),
          bare: () => rate(bench, `node:http, ${form}`, load(bare.port)),
        });
        find(bench, {
          part: 'games',
          what: `Game/List, 1,000 games, ${form}`,
          unit: '/s',
          value: found.ours,
          against: 'bare node:http',
          base: found.bare,
          least: 0.85,
        });
      }
    } finally {
      await bare.stop();
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}
