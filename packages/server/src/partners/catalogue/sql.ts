import assert from 'node:assert/strict';
import type { Connection } from '../../engine/connection.ts';

export interface Game {
  id: string;
  title: string;
  category: string;
  promoTypes: string[];
  images: { landscape: string; portrait: string; square: string };
}

export interface StoredGame extends Game {
  providerId: string;
}

interface GameRow {
  game_id: string;
  provider_id: string;
  title: string;
  category: string;
  promo_types: string[];
  images: Game['images'];
}

/** The games in catalogue order, without withdrawn ones. */
export async function listGames(connection: Connection): Promise<StoredGame[]> {
  const { rows } = await connection.query<GameRow>({
    text: `SELECT game_id, provider_id, title, category, promo_types, images
           FROM games WHERE withdrawn_at IS NULL ORDER BY position, game_id`,
  });
  return rows.map(gameOf);
}

/** The field order is that of the game list response. */
const gameOf = (row: GameRow): StoredGame => ({
  id: row.game_id,
  title: row.title,
  category: row.category,
  promoTypes: row.promo_types,
  images: row.images,
  providerId: row.provider_id,
});

/** The provider of each game id, including withdrawn games, which free bets may still name. */
export async function readGameOwners(connection: Connection): Promise<Map<string, string>> {
  const { rows } = await connection.query<{ game_id: string; provider_id: string }>({
    text: 'SELECT game_id, provider_id FROM games',
  });
  return new Map(rows.map((row) => [row.game_id, row.provider_id]));
}

/** The ids of these games that belong or belonged to another provider. */
export async function gamesOfOtherProviders(connection: Connection, games: readonly StoredGame[]): Promise<string[]> {
  const { rows } = await connection.query<{ game_id: string }>({
    text: `SELECT g.game_id FROM games g JOIN unnest($1::text[], $2::text[]) AS n(game_id, provider_id) USING (game_id)
           WHERE g.provider_id <> n.provider_id ORDER BY 1`,
    values: [games.map((g) => g.id), games.map((g) => g.providerId)],
  });
  return rows.map((row) => row.game_id);
}

/** Inserts, updates or restores these games and withdraws all others. Returns how many were withdrawn. */
export async function replaceGames(connection: Connection, games: readonly StoredGame[]): Promise<number> {
  await connection.query({
    text: `INSERT INTO games (game_id, provider_id, title, category, promo_types, images, position)
           SELECT game_id, provider_id, title, category, ARRAY(SELECT json_array_elements_text(promo_types)), images,
             position - 1
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::json[], $6::json[]) WITH ORDINALITY
             AS n(game_id, provider_id, title, category, promo_types, images, position)
           ON CONFLICT (game_id) DO UPDATE SET title = EXCLUDED.title, category = EXCLUDED.category,
             promo_types = EXCLUDED.promo_types, images = EXCLUDED.images, position = EXCLUDED.position,
             withdrawn_at = NULL`,
    values: [
      games.map((g) => g.id),
      games.map((g) => g.providerId),
      games.map((g) => g.title),
      games.map((g) => g.category),
      games.map((g) => JSON.stringify(g.promoTypes)),
      games.map((g) => JSON.stringify(g.images)),
    ],
  });
  const { rowCount } = await connection.query({
    text: `UPDATE games SET withdrawn_at = world_now() WHERE withdrawn_at IS NULL AND NOT game_id = ANY ($1::text[])`,
    values: [games.map((g) => g.id)],
  });
  return rowCount ?? 0;
}

export interface ImageAssets {
  base_url: string;
  presets: { game: Record<'landscape' | 'portrait' | 'square', { width: string; height: string }> };
}

export async function readImageAssets(connection: Connection): Promise<ImageAssets | null> {
  const { rows } = await connection.query<{ image_assets: ImageAssets | null }>({
    text: 'SELECT image_assets FROM reference',
  });
  const [reference] = rows;
  assert(reference, 'the first migration makes the row');
  return reference.image_assets;
}

export async function saveImageAssets(connection: Connection, assets: ImageAssets): Promise<void> {
  await connection.query({ text: 'UPDATE reference SET image_assets = $1', values: [JSON.stringify(assets)] });
}
