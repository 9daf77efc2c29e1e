import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepted } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { folder } from '../../support/files.ts';
import { campaign } from '../../support/requests.ts';

// Lists of players, and campaigns to issue from.

let files = 0;

/** Writes a list and returns its path. */
export function listFile(content: string | Buffer, ending = 'csv'): string {
  const path = join(folder, `list-${++files}.${ending}`);
  writeFileSync(path, content);
  return path;
}

export const listOf = (...players: string[]) =>
  listFile(`player_id,currency\n${players.map((id) => `${id},EUR\n`).join('')}`);

/** Makes a different list for each test. */
export const players = (count: number) => Array.from({ length: count }, () => `player-${randomUUID()}`);

/** Gives each test its own campaign, so that tests do not affect each other. */
export async function newCampaign(url: string, config: object = {}): Promise<string> {
  const campaign_id = `campaign-${randomUUID()}`;
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, config })));
  return campaign_id;
}

export async function assertIssued(url: string, campaign_id: string, count: number): Promise<void> {
  const { counts } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));
  assert.equal(counts.issued, count);
}

/** A derived job ID: a UUID of version 8. */
export const jobIdIn = (text: string): string =>
  /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/.exec(text)?.[0] ?? '';
