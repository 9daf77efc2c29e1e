import assert from 'node:assert/strict';
import { compileSchema, type FieldError, GameListResponse } from '@freebets/contract';
import type { Connection } from '../../engine/connection.ts';
import { insertProvider, listProviders, updateProviders } from '../callers/sql/providers.ts';
import { gamesOfOtherProviders, replaceGames, type StoredGame, saveImageAssets } from './sql.ts';

// Imports the catalogue from a file with the shape of the game list response. The whole file is checked before any
// change.

const maxGames = 10_000;
const maxReported = 20;
/** A generous budget, because an import is rare and the file comes from an admin. */
const validate = compileSchema(GameListResponse, 1_000_000);

export interface ImportResult {
  games: number;
  withdrawn: number;
  /** Providers that the file added; they have no secret yet. */
  newProviders: string[];
}

export class InvalidCatalogue extends Error {
  readonly details: FieldError[];
  constructor(details: FieldError[]) {
    super(`The catalogue is not valid: ${details.map(({ field, reason }) => `${field} ${reason}`).join('; ')}.`);
    this.details = details;
  }
}

/** Throws InvalidCatalogue if the file does not match the schema. */
export function parseCatalogue(file: unknown): GameListResponse {
  const problems = validate(file);
  if (problems.length > 0) throw new InvalidCatalogue(problems.slice(0, maxReported));
  return file as GameListResponse;
}

/**
 * Runs in the caller's transaction. The caller must have called `announceChange`, which makes concurrent imports wait.
 * If it throws InvalidCatalogue, nothing has changed.
 */
export async function importCatalogue(connection: Connection, catalogue: GameListResponse): Promise<ImportResult> {
  await checkNames(connection, catalogue);
  const newProviders = await addProviders(connection, catalogue);
  const ids = await providerIds(connection);
  const providers = catalogue.providers.map((provider) => {
    const providerId = ids.get(provider.name);
    assert(providerId, 'every provider of the file is there, or has just been added');
    return { ...provider, providerId };
  });
  const games = gamesOf(catalogue, ids);
  await updateProviders(connection, providers);
  await saveImageAssets(connection, catalogue.image_assets);
  return { games: games.length, withdrawn: await replaceGames(connection, games), newProviders };
}

/** Throws InvalidCatalogue if names or ids repeat, or if a game id belongs to another provider in the database. */
export async function checkNames(connection: Connection, catalogue: GameListResponse): Promise<void> {
  const errors = duplicateErrors(catalogue);
  if (errors.length > 0) throw new InvalidCatalogue(errors.slice(0, maxReported));
  const others = await gamesOfOtherProviders(connection, gamesOf(catalogue, await providerIds(connection)));
  if (others.length > 0) {
    const details = others.slice(0, maxReported).map((id) => ({ field: id, reason: 'belongs to another provider' }));
    throw new InvalidCatalogue(details);
  }
}

/** Provider ids by name. */
const providerIds = async (connection: Connection): Promise<Map<string, string>> =>
  new Map((await listProviders(connection)).map((provider) => [provider.name, provider.provider_id]));

/** A new provider has no id yet; an empty one is enough, because it owns no stored game. */
const gamesOf = ({ providers }: GameListResponse, ids: ReadonlyMap<string, string>): StoredGame[] =>
  providers.flatMap(({ name, games }) => games.map((game) => ({ ...game, providerId: ids.get(name) ?? '' })));

function duplicateErrors({ providers }: GameListResponse): FieldError[] {
  const ids = providers.flatMap((provider) => provider.games.map((game) => game.id));
  const names = providers.map((provider) => provider.name);
  return [
    ...(ids.length > maxGames ? [{ field: 'providers', reason: `hold more than ${maxGames} games` }] : []),
    ...duplicatesOf(names).map((name) => ({ field: name, reason: 'is the name of more than one provider' })),
    ...duplicatesOf(ids).map((id) => ({ field: id, reason: 'is the id of more than one game' })),
  ];
}

function duplicatesOf(names: string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.size === seen.add(name).size);
}

/** Derives a provider's id from its name: "Nova Reel" becomes nova-reel. */
export function providerIdFor(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug.slice(0, 48) || 'provider';
}

async function addProviders(connection: Connection, { providers }: GameListResponse): Promise<string[]> {
  const known = await listProviders(connection);
  const taken = new Set(known.map((provider) => provider.provider_id));
  const added: string[] = [];
  for (const { name, currencies } of providers) {
    if (known.some((provider) => provider.name === name)) continue;
    const slug = providerIdFor(name);
    let providerId = slug;
    for (let n = 2; taken.has(providerId); n++) providerId = `${slug}-${n}`;
    taken.add(providerId);
    const isNew = await insertProvider(connection, { providerId, name, currencies, secret: null });
    assert(isNew, 'neither the name nor the id is taken');
    added.push(providerId);
  }
  return added;
}
