import {
  asRead,
  ClientId,
  Currency,
  Cursor,
  closed,
  Limit,
  Name,
  nullable,
  ProviderId,
  Timestamp,
  text,
} from './formats.ts';
import { SandboxClock } from './sandbox.ts';
import { Type } from './type.ts';

// Partners and providers as staff see and change them. A secret is in the answer that makes it, and nowhere else.

export const PartnerId = Type.Integer({ ...ClientId, description: 'The partner.' });
const ProviderKey = Type.String({ ...ProviderId, description: 'The provider.' });

const Signing = Type.Enum(['plain', 'strict'], {
  description: 'Strict: the signature of a request must cover its time and its path.',
});

/** What is no network is refused by the server, which says why. */
const AllowFrom = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: text(64, 'A network, such as `203.0.113.0/24`'),
  minItems: 1,
  maxItems: 100,
  description: 'From where it may call; null for anywhere.',
});

const Offers = Type.Array(ProviderKey, {
  maxItems: 1000,
  uniqueItems: true,
  description: 'The providers whose games it is offered.',
});

const StakeReturned = Type.Boolean({
  description:
    'Whether a won free bet pays its stake as well. Campaigns, direct jobs and direct free bets keep the setting of the ' +
    'time they are created; a change affects later ones only.',
});
const Secret = Type.String({ description: 'Shown this one time.' });
const OldStaysValid = Type.Boolean({ description: 'The secret before it stays valid until it is retired.' });

/** Sent back, it proves what was read; sealed bytes cannot be told from it. */
const SecretsVersion = Type.String({
  pattern: '^[0-9a-f]{16}$',
  'x-form': 'the secrets_version from an answer',
  description: 'Another one whenever other secrets are valid.',
});

const caller = {
  name: Name,
  created_at: Timestamp,
  disabled_at: nullable(Timestamp),
  has_previous_secret: Type.Boolean({ description: 'Whether the secret before the newest is still valid.' }),
  secrets_version: SecretsVersion,
  signing: Signing,
  allow_from: AllowFrom,
};
const secretsRead = {
  secrets_version: Type.Optional(
    Type.String({
      ...SecretsVersion,
      description:
        'As it was read: refused where other secrets are valid now, so that the secret in use is not ended by a rotation made twice, or by retiring it for another.',
    }),
  ),
};
const access = { signing: Type.Optional(Signing), allow_from: Type.Optional(AllowFrom) };
const accessRead = { as_read: asRead(access) };

const partner = {
  client_id: PartnerId,
  ...caller,
  offers: Offers,
  stake_returned: StakeReturned,
  sandbox: Type.Boolean(),
  webhook: nullable(Type.Enum(['on', 'failing', 'off'])),
};
export const Partner = closed(partner);
export type Partner = Type.Static<typeof Partner>;

export const PartnerListRequest = closed({
  search: Type.Optional(text(128, 'Part of the name, or the beginning of the id')),
  limit: Type.Optional(Limit(1000, 100)),
  cursor: Type.Optional(Cursor),
});
export const PartnerListResponse = closed({
  partners: Type.Array(Partner),
  next_cursor: nullable(Type.String()),
  free_client_id: nullable(
    Type.Integer({
      ...ClientId,
      description:
        'The next free one, for who has all partners. Sent as `id` with a new partner, that one is not made twice.',
    }),
  ),
});

/** Of an operation on one partner. */
export const OnePartner = closed({ client_id: PartnerId });
export const PartnerGetResponse = closed({ ...partner, clock: nullable(SandboxClock) });

export const PartnerCreateRequest = closed({
  name: Name,
  id: Type.Optional(Type.Integer({ ...ClientId, description: 'Its `client_id`; the next free one when absent.' })),
  offers: Type.Optional(Offers),
  stake_returned: Type.Optional(StakeReturned),
  sandbox: Type.Optional(Type.Boolean({ description: 'For good: a partner whose clock can be set forward.' })),
  ...access,
});
export const PartnerCreateResponse = closed({ ...partner, secret: Secret });

export const PartnerUpdateRequest = closed({
  client_id: PartnerId,
  name: Type.Optional(Name),
  stake_returned: Type.Optional(StakeReturned),
  ...access,
  ...accessRead,
});
export const PartnerOfferRequest = closed({
  client_id: PartnerId,
  offers: Offers,
  as_read: asRead({ offers: Type.Optional(Offers) }),
});
export const PartnerSecretRequest = closed({ client_id: PartnerId, ...secretsRead });
export const PartnerSecretResponse = closed({ ...partner, secret: Secret, old_stays_valid: OldStaysValid });

const provider = {
  provider_id: ProviderKey,
  ...caller,
  currencies: Type.Array(Currency),
  has_secret: Type.Boolean({ description: 'One that came with the catalogue has none at first, and cannot call.' }),
};
export const Provider = closed(provider);

export const ProviderListRequest = closed({});
export const ProviderListResponse = closed({ providers: Type.Array(Provider) });
export const OneProvider = closed({ provider_id: ProviderKey });

export const ProviderCreateRequest = closed({
  name: Name,
  id: Type.Optional(Type.String({ ...ProviderId, description: 'Its `provider_id`; made of its name when absent.' })),
  currencies: Type.Array(Currency, { minItems: 1, maxItems: 300, uniqueItems: true }),
  ...access,
});
export const ProviderCreateResponse = closed({ ...provider, secret: Secret });
export const ProviderUpdateRequest = closed({ provider_id: ProviderKey, ...access, ...accessRead });
export const ProviderSecretRequest = closed({ provider_id: ProviderKey, ...secretsRead });
export const ProviderSecretResponse = closed({ ...provider, secret: Secret, old_stays_valid: OldStaysValid });
