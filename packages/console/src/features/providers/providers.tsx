import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '../../api/call.ts';
import { listing } from '../../api/queries.ts';
import { useMayForAll } from '../../api/session.ts';
import { DialogButton } from '../../ui/dialog-button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminRequests } from '../confirmations/requests.tsx';
import { NewProviderDialog } from './new-provider.tsx';
import { useSecretToShow } from './secret-to-show.tsx';

const columns: Column<AnswerOf<'ProviderUpdate'>>[] = [
  {
    title: 'Provider',
    cell: ({ provider_id, name }) => (
      <>
        <Anchor component={Link} to={`/providers/${provider_id}`} fw={600}>
          {name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {provider_id}
        </Text>
      </>
    ),
  },
  { title: 'Status', cell: ({ disabled_at }) => <Status is={disabled_at === null ? 'active' : 'disabled'} /> },
  { title: 'Can call', cell: ({ has_secret }) => (has_secret ? 'yes' : 'no: it has no secret') },
  { title: 'Signing', isMinor: true, cell: ({ signing }) => signing },
  { title: 'Currencies', isMinor: true, cell: ({ currencies }) => currenciesText(currencies) },
  { title: 'Created', isMinor: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

const most = 6;
const currenciesText = (currencies: string[]): string =>
  currencies.slice(0, most).join(', ') + (currencies.length > most ? ` and ${currencies.length - most} more` : '');

export function Providers() {
  const mayForAll = useMayForAll();
  const query = useInfiniteQuery(listing('ProviderList', {}));
  const { shown, show } = useSecretToShow();
  return (
    <Page
      title="Providers"
      actions={
        mayForAll('ProviderCreate') && (
          <DialogButton
            label="New provider"
            variant="filled"
            size="sm"
            dialog={(close) => <NewProviderDialog onMade={show} onClose={close} />}
          />
        )
      }
    >
      <AdminRequests target={{ kind: 'provider' }} />
      <ListTable
        label="Providers"
        query={query}
        rowsOf={(page) => page.providers}
        keyOf={({ provider_id }) => provider_id}
        columns={columns}
        empty={
          <Empty title="No providers yet">
            A provider makes games and places bets in them. One comes with the catalogue, or is created here.
          </Empty>
        }
      />
      {shown}
    </Page>
  );
}
