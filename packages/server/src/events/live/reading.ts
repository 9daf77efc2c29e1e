import type { LiveMessages } from '@freebets/contract';
import type { Pool } from 'pg';
import { type AuditBrief, noPartner, readAuditBriefs } from '../../audit/sql.ts';
import { ask } from '../../engine/statement.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import { formatInstant } from '../../primitives/amounts.ts';
import { readCountedCampaigns } from '../../promo/campaigns/api.ts';
import { findBriefsAfter, findCampaignsTouched } from '../feed/sql/events.ts';

// Reads the messages about a partner from the database.

export interface LiveSource {
  pool: Pool;
  partnerProfile(clientId: number): PartnerProfile;
}

/** Per message. If there are more, the newest. */
const maxPerMessage = 50;

/** The events after one number, up to another. */
export async function readHappened(
  { pool }: LiveSource,
  clientId: number,
  after: number,
  through: number,
): Promise<LiveMessages['happened']> {
  const from = Math.max(after, through - maxPerMessage);
  const briefs = await findBriefsAfter(pool, clientId, from, maxPerMessage);
  const events = briefs
    .filter(({ sequence }) => sequence <= through)
    .map(({ sequence, type, occurredAt, campaignId, issueId, playerId, jobId }) => ({
      sequence,
      type,
      occurred_at: formatInstant(occurredAt),
      campaign_id: campaignId,
      issue_id: issueId,
      player_id: playerId,
      job_id: jobId,
    }));
  return { client_id: clientId, count: through - after, events };
}

/** How many audit records are searched for visible changes. */
const maxRecordsWalked = 200;
/** Visible to everyone, although they belong to no partner. */
const visibleToAll = ['partner', 'provider', 'catalogue', 'game', 'offer'];
/**
 * Not sent, although they belong to a partner: only people who may read the audit log or administer staff may see them.
 */
const hidden = ['audit', 'staff', 'session', 'invitation', 'confirmation', 'report'];

const isVisible = (clientId: number, { kind }: AuditBrief): boolean =>
  clientId === noPartner ? visibleToAll.includes(kind) : !hidden.includes(kind);

/** Undefined if none of the changes is visible. */
export async function readChanged(
  { pool }: LiveSource,
  clientId: number,
  after: number,
  through: number,
): Promise<LiveMessages['changed'] | undefined> {
  const briefs = await ask(pool, readAuditBriefs(clientId, Math.max(after, through - maxRecordsWalked), through));
  const seen = briefs.filter((brief) => isVisible(clientId, brief)).slice(-maxPerMessage);
  if (seen.length === 0) return undefined;
  return {
    client_id: clientId === noPartner ? null : clientId,
    changes: seen.map(({ at, action, kind, id }) => ({ at: formatInstant(at), action, target: { kind, id } })),
  };
}

/** If more events occurred between two reads, only the newest decide which campaigns are sent. */
const maxEventsWalked = 5000;

export const findCampaignsToSend = ({ pool }: LiveSource, clientId: number, after: number, through: number) =>
  ask(pool, findCampaignsTouched(clientId, Math.max(after, through - maxEventsWalked), through, maxPerMessage));

/** Undefined if there is no campaign. */
export async function readFigures(
  source: LiveSource,
  clientId: number,
  campaignIds: readonly string[],
): Promise<LiveMessages['figures'] | undefined> {
  if (campaignIds.length === 0) return undefined;
  const campaigns = await readCountedCampaigns(source.pool, clientId, campaignIds.slice(-maxPerMessage));
  return {
    client_id: clientId,
    campaigns: campaigns.map(({ campaign_id, status, counts, winnings, exposure }) => ({
      campaign_id,
      status,
      counts,
      winnings,
      exposure,
    })),
  };
}
