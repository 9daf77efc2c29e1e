import type { StaffResponseOf } from '@freebets/contract';
import type { Handlers, StaffCall } from '../../../calls/call.ts';
import {
  type ChangeServices,
  changeAndFollow,
  changeContextOf,
  type FollowServices,
  requireAllPartners,
  requireSomething,
} from '../../../calls/changes.ts';
import { cursorsOf, isCount } from '../../../calls/cursor.ts';
import { readSandboxClock } from '../../../engine/clock.ts';
import { ask } from '../../../engine/statement.ts';
import { formatInstant, timeText } from '../../../primitives/amounts.ts';
import { done, refuse } from '../../../primitives/outcome.ts';
import { clockBody } from '../../../primitives/sandbox-clock.ts';
import type { MasterKey } from '../../../primitives/sealing.ts';
import { setDisabled } from '../callers.ts';
import { createPartner, findFreeId, offerProviders, updatePartner } from '../partners.ts';
import { retireSecret, rotateSecret, type SecretContext } from '../secrets.ts';
import { findPartner, type Partner, searchPartners } from '../sql/partners.ts';

type Name =
  | 'PartnerList'
  | 'PartnerGet'
  | 'PartnerCreate'
  | 'PartnerUpdate'
  | 'PartnerOffer'
  | 'PartnerDisable'
  | 'PartnerEnable'
  | 'PartnerRotateSecret'
  | 'PartnerRetireSecret';

/** What the operations on partners and on game providers need. */
export interface CallerServices extends ChangeServices, FollowServices {
  masterKey: MasterKey;
}

export const contextOf = (call: StaffCall<CallerServices>): SecretContext => ({
  ...changeContextOf(call),
  masterKey: call.services.masterKey,
});

const bodyOf = (partner: Partner): StaffResponseOf<'PartnerUpdate'> => ({
  client_id: partner.client_id,
  name: partner.name,
  created_at: formatInstant(partner.created_at),
  disabled_at: timeText(partner.disabled_at),
  has_previous_secret: partner.has_previous_secret,
  secrets_version: partner.secrets_version,
  signing: partner.signing,
  allow_from: partner.allow_from,
  offers: partner.offers,
  stake_returned: partner.stake_returned,
  sandbox: partner.sandbox,
  webhook: partner.webhook,
});

const ofPartner = (id: number) => ({ kind: 'partner' as const, id });

const cursors = cursorsOf({ client_id: isCount });

export const partnerHandlers: Handlers<Name, CallerServices> = {
  async PartnerList({ services, person }, { search = null, limit = 100, cursor }) {
    const after = cursors.read(cursor)?.client_id ?? 0;
    const within = person?.partners ?? null;
    const [found, free_client_id] = await Promise.all([
      searchPartners(services.consolePool, { search, within, after, limit: limit + 1 }),
      within === null ? findFreeId(services.consolePool) : null,
    ]);
    const partners = found.slice(0, limit).map(bodyOf);
    const next = found.length > limit ? (partners.at(-1) ?? null) : null;
    return done({ partners, next_cursor: cursors.write(next), free_client_id });
  },

  async PartnerGet({ services: { consolePool } }, { client_id }) {
    const partner = await findPartner(consolePool, client_id);
    if (partner === undefined) return refuse('partner_not_found');
    const clock = await ask(consolePool, readSandboxClock(client_id));
    return done({ ...bodyOf(partner), clock: clock === undefined ? null : clockBody(clock) });
  },

  async PartnerCreate(call, { name, id, offers = [], stake_returned, sandbox = false, signing, allow_from }) {
    requireAllPartners(call);
    const given = { name, id, offers, isSandbox: sandbox, stakeReturned: stake_returned, signing, allow_from };
    const made = await changeAndFollow(call, createPartner(contextOf(call), given));
    return done({ ...bodyOf(made), secret: made.secret });
  },

  async PartnerUpdate(call, { client_id, name, stake_returned: stakeReturned, signing, allow_from, as_read }) {
    const settings = { name, stakeReturned, signing, allow_from };
    requireSomething(settings);
    return done(bodyOf(await changeAndFollow(call, updatePartner(contextOf(call), client_id, settings, as_read))));
  },

  async PartnerOffer(call, { client_id, offers, as_read }) {
    return done(bodyOf(await changeAndFollow(call, offerProviders(contextOf(call), client_id, offers, as_read))));
  },

  async PartnerDisable(call, { client_id }) {
    return done(bodyOf(await changeAndFollow(call, setDisabled(contextOf(call), ofPartner(client_id), true))));
  },

  async PartnerEnable(call, { client_id }) {
    return done(bodyOf(await changeAndFollow(call, setDisabled(contextOf(call), ofPartner(client_id), false))));
  },

  async PartnerRotateSecret(call, { client_id, secrets_version: version }) {
    const rotated = await changeAndFollow(call, rotateSecret(contextOf(call), ofPartner(client_id), { version }));
    const { secret, old_stays_valid } = rotated;
    return done({ ...bodyOf(rotated), secret, old_stays_valid });
  },

  async PartnerRetireSecret(call, { client_id, secrets_version: version }) {
    return done(bodyOf(await changeAndFollow(call, retireSecret(contextOf(call), ofPartner(client_id), { version }))));
  },
};
