import { Anchor, SimpleGrid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { CallResponse } from '../../api/call.ts';
import { callQuery } from '../../api/queries.ts';
import { useMay, useMayForAll } from '../../api/session.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { AnchorLink, Details, Empty, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { AccessDetails, DisableButton } from '../callers/caller.tsx';
import { SecretsDetails } from '../callers/secrets.tsx';
import { AdminRequests } from '../confirmations/requests.tsx';

const route = getRouteApi('/inside/providers/$providerId');

/** There are few game providers, so this finds one in the list of all. */
export function Provider() {
  const { providerId } = route.useParams();
  const { data, error, refetch } = useQuery(callQuery('ProviderList', {}));
  const provider = data?.providers.find(({ provider_id }) => provider_id === providerId);
  if (provider) return <ProviderPage provider={provider} />;
  return (
    <Page title={providerId}>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Empty title="Game provider not found">
          <Anchor component={Link} to="/providers">
            All game providers
          </Anchor>
        </Empty>
      ) : (
        <Skeleton height={320} />
      )}
    </Page>
  );
}

function ProviderPage({ provider }: { provider: CallResponse<'ProviderUpdate'> }) {
  const { provider_id, name, created_at, disabled_at, currencies, has_secret } = provider;
  const may = useMay();
  const mayForAll = useMayForAll();
  const owner = { kind: 'provider', key: { provider_id } } as const;
  const caller = { owner, caller: provider, mayChange: mayForAll('ProviderUpdate') };
  return (
    <Page
      title={name}
      mark={<Status is={disabled_at === null ? 'active' : 'disabled'} />}
      about={
        <>
          provider_id {provider_id} · created <Time at={created_at} />
          {may('AuditList') && (
            <>
              {' '}
              ·{' '}
              <AnchorLink to="/audit" search={{ kind: 'provider', id: provider_id }} size="sm" underline="always">
                Audit log
              </AnchorLink>
            </>
          )}
        </>
      }
      actions={caller.mayChange && <DisableButton {...caller} />}
    >
      <AdminRequests target={{ kind: 'provider', id: provider_id }} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <SecretsDetails {...caller} hasSecret={has_secret} />
        <AccessDetails {...caller} />
        <Details title="Currencies" rows={[['Supported by all games', currencies.join(', ')]]} />
      </SimpleGrid>
    </Page>
  );
}
