import type { StaffOperationRows } from './operation-types.ts';
import * as partners from './partners.ts';

const tag = 'Partners';

export const partnerOperations = {
  PartnerList: {
    tag,
    summary: 'List the partners in scope',
    request: partners.PartnerListRequest,
    response: partners.PartnerListResponse,
    errors: [],
  },
  PartnerGet: {
    tag,
    summary: 'Read a partner',
    request: partners.OnePartner,
    response: partners.PartnerGetResponse,
    errors: ['partner_not_found'],
  },
  PartnerCreate: {
    tag,
    summary: 'Create a partner, and see its secret',
    request: partners.PartnerCreateRequest,
    response: partners.PartnerCreateResponse,
    errors: ['provider_not_found', 'already_exists', 'confirmation_needed'],
  },
  PartnerUpdate: {
    tag,
    summary: 'Change the settings of a partner',
    request: partners.PartnerUpdateRequest,
    response: partners.Partner,
    errors: ['partner_not_found', 'changed_meanwhile', 'confirmation_needed'],
  },
  PartnerOffer: {
    tag,
    summary: 'Set which providers a partner is offered',
    request: partners.PartnerOfferRequest,
    response: partners.Partner,
    errors: ['partner_not_found', 'provider_not_found', 'changed_meanwhile'],
  },
  PartnerDisable: {
    tag,
    summary: 'Refuse every request of a partner',
    request: partners.OnePartner,
    response: partners.Partner,
    errors: ['partner_not_found'],
  },
  PartnerEnable: {
    tag,
    summary: 'Accept the requests of a partner again',
    request: partners.OnePartner,
    response: partners.Partner,
    errors: ['partner_not_found'],
  },
  PartnerRotateSecret: {
    tag,
    summary: 'Make a new secret, and see it',
    request: partners.PartnerSecretRequest,
    response: partners.PartnerSecretResponse,
    errors: ['partner_not_found', 'secret_not_readable', 'secrets_changed', 'confirmation_needed'],
  },
  PartnerRetireSecret: {
    tag,
    summary: 'Leave only the newest secret valid',
    request: partners.PartnerSecretRequest,
    response: partners.Partner,
    errors: ['partner_not_found', 'secret_not_readable', 'secrets_changed'],
  },
  ProviderList: {
    tag,
    summary: 'List the game providers',
    request: partners.ProviderListRequest,
    response: partners.ProviderListResponse,
    errors: [],
  },
  ProviderCreate: {
    tag,
    summary: 'Create a game provider, and see its secret',
    request: partners.ProviderCreateRequest,
    response: partners.ProviderCreateResponse,
    errors: ['already_exists', 'confirmation_needed'],
  },
  ProviderUpdate: {
    tag,
    summary: 'Change how a provider may call',
    request: partners.ProviderUpdateRequest,
    response: partners.Provider,
    errors: ['provider_not_found', 'changed_meanwhile'],
  },
  ProviderDisable: {
    tag,
    summary: 'Refuse every request of a provider',
    request: partners.OneProvider,
    response: partners.Provider,
    errors: ['provider_not_found'],
  },
  ProviderEnable: {
    tag,
    summary: 'Accept the requests of a provider again',
    request: partners.OneProvider,
    response: partners.Provider,
    errors: ['provider_not_found'],
  },
  ProviderRotateSecret: {
    tag,
    summary: 'Make a new secret, and see it',
    request: partners.ProviderSecretRequest,
    response: partners.ProviderSecretResponse,
    errors: ['provider_not_found', 'secret_not_readable', 'secrets_changed', 'confirmation_needed'],
  },
  ProviderRetireSecret: {
    tag,
    summary: 'Leave only the newest secret valid',
    request: partners.ProviderSecretRequest,
    response: partners.Provider,
    errors: ['provider_not_found', 'secret_not_readable', 'secrets_changed'],
  },
} as const satisfies Partial<StaffOperationRows>;
