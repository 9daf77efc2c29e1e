import type { AnswerOf } from '../../api/call.ts';

// What partners and providers have in common: each is a caller, with secrets, that may be disabled, and whose calls may have to
// be signed strictly or to come from some networks.

type Shared = 'name' | 'disabled_at' | 'has_previous_secret' | 'secrets_version' | 'signing' | 'allow_from';
export type Caller = Pick<AnswerOf<'ProviderUpdate'>, Shared>;
export type Access = Pick<Caller, 'signing' | 'allow_from'>;

/** Which caller, as its operations ask for it. */
export type Owner =
  | { kind: 'partner'; key: { client_id: number } }
  | { kind: 'provider'; key: { provider_id: string } };

export const operationsOf = {
  partner: {
    update: 'PartnerUpdate',
    disable: 'PartnerDisable',
    enable: 'PartnerEnable',
    rotate: 'PartnerRotateSecret',
    retire: 'PartnerRetireSecret',
  },
  provider: {
    update: 'ProviderUpdate',
    disable: 'ProviderDisable',
    enable: 'ProviderEnable',
    rotate: 'ProviderRotateSecret',
    retire: 'ProviderRetireSecret',
  },
} as const;

export interface CallerProps {
  owner: Owner;
  caller: Caller;
  /** Whether the person may change it. */
  mayChange: boolean;
}
