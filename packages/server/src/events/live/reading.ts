import type { LiveMessages } from '@freebets/contract';
import type { Pool } from 'pg';
import { type AuditBrief, noPartner, readAuditBriefs } from '../../audit/sql.ts';
import { ask } from '../../engine/statement.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import { formatInstant } from '../../primitives/amounts.ts';
import { readCountedCampaigns } from '../../promo/campaigns/api.ts';
import { findBriefsAfter, findCampaignsTouched } from '../feed/sql/events.ts';

// What is said of a partner in a stream, read from the database.

export interface LiveSource {
  pool: Pool;
  partnerProfile(clientId: number): PartnerProfile;
}

/** In a message; of more, the newest. */
const shownAtATime = 50;

/** What happened behind one number, up to another. */
export async function readHappened(
  { pool }: LiveSource,
  clientId: number,
  after: number,
  through: number,
): Promise<LiveMessages['happened']> {
  const from = Math.max(after, through - shownAtATime);
  const briefs = await findBriefsAfter(pool, clientId, from, shownAtATime);
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

/** Records that are gone through for what may be said. */
const recordsWalked = 200;
/** What belongs to no partner, and everybody may see. */
const seenByAll = ['partner', 'provider', 'catalogue', 'game', 'offer'];
/** What belongs to a partner, and is nevertheless only for those who may read the record or run the staff. */
const hidden = ['audit', 'staff', 'session', 'invitation', 'confirmation', 'report'];

const isSeen = (clientId: number, { kind }: AuditBrief): boolean =>
  clientId === noPartner ? seenByAll.includes(kind) : !hidden.includes(kind);

/** Undefined where there is nothing that may be said. */
export async function readChanged(
  { pool }: LiveSource,
  clientId: number,
  after: number,
  through: number,
): Promise<LiveMessages['changed'] | undefined> {
  const briefs = await ask(pool, readAuditBriefs(clientId, Math.max(after, through - recordsWalked), through));
  const seen = briefs.filter((brief) => isSeen(clientId, brief)).slice(-shownAtATime);
  if (seen.length === 0) return undefined;
  return {
    client_id: clientId === noPartner ? null : clientId,
    changes: seen.map(({ at, action, kind, id }) => ({ at: formatInstant(at), action, target: { kind, id } })),
  };
}

/** Where more happened between two readings, the campaigns of the newest are said. */
const eventsWalked = 5000;

export const findTouched = ({ pool }: LiveSource, clientId: number, after: number, through: number) =>
  ask(pool, findCampaignsTouched(clientId, Math.max(after, through - eventsWalked), through, shownAtATime));

/** Undefined where there is none of them. */
export async function readFigures(
  source: LiveSource,
  clientId: number,
  campaignIds: readonly string[],
): Promise<LiveMessages['figures'] | undefined> {
  if (campaignIds.length === 0) return undefined;
  const campaigns = await readCountedCampaigns(source.pool, clientId, campaignIds.slice(-shownAtATime));
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
