import type { StaffResponseOf } from '@freebets/contract';
import type { Handlers, StaffCall } from '../../../calls/call.ts';
import { changeAndFollow, requireAllPartners, requireSomething } from '../../../calls/changes.ts';
import { formatInstant, timeText } from '../../../primitives/amounts.ts';
import { done } from '../../../primitives/outcome.ts';
import { setDisabled } from '../callers.ts';
import { createProvider, updateProvider } from '../providers.ts';
import { retireSecret, rotateSecret, type SecretContext } from '../secrets.ts';
import { listProviders, type Provider } from '../sql/providers.ts';
import { type CallerServices, contextOf } from './partners.ts';

// All staff see the game providers. They belong to no partner, so changing one needs all partners.

type Name =
  | 'ProviderList'
  | 'ProviderCreate'
  | 'ProviderUpdate'
  | 'ProviderDisable'
  | 'ProviderEnable'
  | 'ProviderRotateSecret'
  | 'ProviderRetireSecret';

const bodyOf = (provider: Provider): StaffResponseOf<'ProviderUpdate'> => ({
  provider_id: provider.provider_id,
  name: provider.name,
  created_at: formatInstant(provider.created_at),
  disabled_at: timeText(provider.disabled_at),
  has_previous_secret: provider.has_previous_secret,
  secrets_version: provider.secrets_version,
  signing: provider.signing,
  allow_from: provider.allow_from,
  currencies: provider.currencies,
  has_secret: provider.has_secret,
});

function changed<T>(call: StaffCall<CallerServices>, change: (context: SecretContext) => Promise<T>): Promise<T> {
  requireAllPartners(call);
  return changeAndFollow(call, change(contextOf(call)));
}

const ofProvider = (id: string) => ({ kind: 'provider' as const, id });

export const providerHandlers: Handlers<Name, CallerServices> = {
  async ProviderList({ services }) {
    return done({ providers: (await listProviders(services.consolePool)).map(bodyOf) });
  },

  async ProviderCreate(call, given) {
    const made = await changed(call, (context) => createProvider(context, given));
    return done({ ...bodyOf(made), secret: made.secret });
  },

  async ProviderUpdate(call, { provider_id, as_read, ...access }) {
    const made = await changed(call, (context) => {
      requireSomething(access);
      return updateProvider(context, provider_id, access, as_read);
    });
    return done(bodyOf(made));
  },

  async ProviderDisable(call, { provider_id }) {
    return done(bodyOf(await changed(call, (context) => setDisabled(context, ofProvider(provider_id), true))));
  },

  async ProviderEnable(call, { provider_id }) {
    return done(bodyOf(await changed(call, (context) => setDisabled(context, ofProvider(provider_id), false))));
  },

  async ProviderRotateSecret(call, { provider_id, secrets_version: version }) {
    const rotated = await changed(call, (context) => rotateSecret(context, ofProvider(provider_id), { version }));
    const { secret, old_stays_valid } = rotated;
    return done({ ...bodyOf(rotated), secret, old_stays_valid });
  },

  async ProviderRetireSecret(call, { provider_id, secrets_version: version }) {
    return done(bodyOf(await changed(call, (context) => retireSecret(context, ofProvider(provider_id), { version }))));
  },
};
