import { Type } from 'typebox';
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
import type { StaffOperationRows } from './operation-types.ts';
import { SandboxClock } from './sandbox.ts';

// Partners and game providers, for staff. Only the response that creates a secret contains it.

export const PartnerId = Type.Integer({ ...ClientId, description: 'The partner.' });
const ProviderKey = Type.String({ ...ProviderId, description: 'The provider.' });

const Signing = Type.Enum(['plain', 'strict'], {
  description: '`strict` if the signature of a request must cover its time and its path.',
});

/** The server checks the networks, so that the error can name the reason. */
const AllowFrom = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: text(64, 'A network, such as `203.0.113.0/24`'),
  minItems: 1,
  maxItems: 100,
  description: 'The networks that the caller may call from; null for any.',
});

const Offers = Type.Array(ProviderKey, {
  maxItems: 1000,
  uniqueItems: true,
  description: 'The providers whose games the partner is offered.',
});

const StakeReturned = Type.Boolean({
  description:
    'Whether a won free bet returns its stake too. Campaigns, direct jobs and direct free bets keep the ' +
    'setting that was in force when they were created.',
});
const Secret = Type.String({ description: 'The secret. It is shown only here.' });
const OldStaysValid = Type.Boolean({ description: 'Whether the previous secret stays valid until it is retired.' });

/** Clients send it back to prove which secrets they saw. It reveals nothing about the sealed secrets. */
const SecretsVersion = Type.String({
  pattern: '^[0-9a-f]{16}$',
  'x-form': 'the secrets_version from a response',
  description: 'The version of the valid secrets. Every change of them changes it.',
});

const caller = {
  name: Name,
  created_at: Timestamp,
  disabled_at: nullable(Timestamp),
  has_previous_secret: Type.Boolean({ description: 'Whether the previous secret is still valid.' }),
  secrets_version: SecretsVersion,
  signing: Signing,
  allow_from: AllowFrom,
};
const secretsRead = {
  secrets_version: Type.Optional(
    Type.String({
      ...SecretsVersion,
      description:
        'The version that you read. If other secrets are valid now, the request is refused, so that a repeated ' +
        "rotation can't end the secret in use.",
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

const PartnerListRequest = closed({
  search: Type.Optional(text(128, 'Part of the name, or the start of the id')),
  limit: Type.Optional(Limit(1000, 100)),
  cursor: Type.Optional(Cursor),
});
const PartnerListResponse = closed({
  partners: Type.Array(Partner),
  next_cursor: nullable(Type.String()),
  free_client_id: nullable(
    Type.Integer({
      ...ClientId,
      description:
        'The next free id, if you can see all partners. Send it as `id` with a new partner, so that a repeated ' +
        'request creates no second one.',
    }),
  ),
});

/** The request of operations on one partner. */
const OnePartner = closed({ client_id: PartnerId });
const PartnerGetResponse = closed({ ...partner, clock: nullable(SandboxClock) });

const PartnerCreateRequest = closed({
  name: Name,
  id: Type.Optional(Type.Integer({ ...ClientId, description: 'The `client_id`; the next free one if absent.' })),
  offers: Type.Optional(Offers),
  stake_returned: Type.Optional(StakeReturned),
  sandbox: Type.Optional(
    Type.Boolean({
      description: "Whether the partner is a sandbox, whose clock can be set forward. This can't be changed later.",
    }),
  ),
  ...access,
});
const PartnerCreateResponse = closed({ ...partner, secret: Secret });

const PartnerUpdateRequest = closed({
  client_id: PartnerId,
  name: Type.Optional(Name),
  stake_returned: Type.Optional(StakeReturned),
  ...access,
  ...accessRead,
});
const PartnerOfferRequest = closed({
  client_id: PartnerId,
  offers: Offers,
  as_read: asRead({ offers: Type.Optional(Offers) }),
});
const PartnerSecretRequest = closed({ client_id: PartnerId, ...secretsRead });
const PartnerSecretResponse = closed({ ...partner, secret: Secret, old_stays_valid: OldStaysValid });

const provider = {
  provider_id: ProviderKey,
  ...caller,
  currencies: Type.Array(Currency),
  has_secret: Type.Boolean({
    description:
      "Whether the provider has a secret. A provider that came with the catalogue has none at first, and can't " +
      'call.',
  }),
};
const Provider = closed(provider);

const ProviderListRequest = closed({});
const ProviderListResponse = closed({ providers: Type.Array(Provider) });
const OneProvider = closed({ provider_id: ProviderKey });

const ProviderCreateRequest = closed({
  name: Name,
  id: Type.Optional(Type.String({ ...ProviderId, description: 'The `provider_id`; derived from the name if absent.' })),
  currencies: Type.Array(Currency, { minItems: 1, maxItems: 300, uniqueItems: true }),
  ...access,
});
const ProviderCreateResponse = closed({ ...provider, secret: Secret });
const ProviderUpdateRequest = closed({ provider_id: ProviderKey, ...access, ...accessRead });
const ProviderSecretRequest = closed({ provider_id: ProviderKey, ...secretsRead });
const ProviderSecretResponse = closed({ ...provider, secret: Secret, old_stays_valid: OldStaysValid });

const tag = 'Partners';

export const partnerOperations = {
  PartnerList: {
    tag,
    summary: 'List the partners in scope',
    request: PartnerListRequest,
    response: PartnerListResponse,
    errors: [],
  },
  PartnerGet: {
    tag,
    summary: 'Read a partner',
    request: OnePartner,
    response: PartnerGetResponse,
    errors: ['partner_not_found'],
  },
  PartnerCreate: {
    tag,
    summary: 'Create a partner, and see its secret',
    request: PartnerCreateRequest,
    response: PartnerCreateResponse,
    errors: ['provider_not_found', 'already_exists', 'confirmation_needed'],
  },
  PartnerUpdate: {
    tag,
    summary: 'Change the settings of a partner',
    request: PartnerUpdateRequest,
    response: Partner,
    errors: ['partner_not_found', 'changed_meanwhile', 'confirmation_needed'],
  },
  PartnerOffer: {
    tag,
    summary: 'Set which providers a partner is offered',
    request: PartnerOfferRequest,
    response: Partner,
    errors: ['partner_not_found', 'provider_not_found', 'changed_meanwhile'],
  },
  PartnerDisable: {
    tag,
    summary: 'Refuse every request of a partner',
    request: OnePartner,
    response: Partner,
    errors: ['partner_not_found'],
  },
  PartnerEnable: {
    tag,
    summary: 'Accept the requests of a partner again',
    request: OnePartner,
    response: Partner,
    errors: ['partner_not_found'],
  },
  PartnerRotateSecret: {
    tag,
    summary: 'Create a new secret, and see it',
    request: PartnerSecretRequest,
    response: PartnerSecretResponse,
    errors: ['partner_not_found', 'secret_not_readable', 'secrets_changed', 'confirmation_needed'],
  },
  PartnerRetireSecret: {
    tag,
    summary: 'Retire all secrets but the newest',
    request: PartnerSecretRequest,
    response: Partner,
    errors: ['partner_not_found', 'secret_not_readable', 'secrets_changed'],
  },
  ProviderList: {
    tag,
    summary: 'List the game providers',
    request: ProviderListRequest,
    response: ProviderListResponse,
    errors: [],
  },
  ProviderCreate: {
    tag,
    summary: 'Create a game provider, and see its secret',
    request: ProviderCreateRequest,
    response: ProviderCreateResponse,
    errors: ['already_exists', 'confirmation_needed'],
  },
  ProviderUpdate: {
    tag,
    summary: 'Change how a provider may call',
    request: ProviderUpdateRequest,
    response: Provider,
    errors: ['provider_not_found', 'changed_meanwhile'],
  },
  ProviderDisable: {
    tag,
    summary: 'Refuse every request of a provider',
    request: OneProvider,
    response: Provider,
    errors: ['provider_not_found'],
  },
  ProviderEnable: {
    tag,
    summary: 'Accept the requests of a provider again',
    request: OneProvider,
    response: Provider,
    errors: ['provider_not_found'],
  },
  ProviderRotateSecret: {
    tag,
    summary: 'Create a new secret, and see it',
    request: ProviderSecretRequest,
    response: ProviderSecretResponse,
    errors: ['provider_not_found', 'secret_not_readable', 'secrets_changed', 'confirmation_needed'],
  },
  ProviderRetireSecret: {
    tag,
    summary: 'Retire all secrets but the newest',
    request: ProviderSecretRequest,
    response: Provider,
    errors: ['provider_not_found', 'secret_not_readable', 'secrets_changed'],
  },
} as const satisfies Partial<StaffOperationRows>;
