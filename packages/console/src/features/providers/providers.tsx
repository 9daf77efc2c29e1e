import { Anchor, TagsInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { CallResponse } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { listQuery } from '../../api/queries.ts';
import { useMayForAll } from '../../api/session.ts';
import { ChangeDialog, Consequences, DialogButton } from '../../ui/change-dialog.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { splitTags } from '../../ui/words.ts';
import { type Access, AccessFields } from '../callers/caller.tsx';
import { SecretShown } from '../callers/secrets.tsx';
import { AdminRequests } from '../confirmations/requests.tsx';

const columns: Column<CallResponse<'ProviderUpdate'>>[] = [
  {
    title: 'Game provider',
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
  { title: 'API access', cell: ({ has_secret }) => (has_secret ? 'yes' : 'no secret yet') },
  { title: 'Signing', isMinor: true, cell: ({ signing }) => signing },
  { title: 'Currencies', isMinor: true, cell: ({ currencies }) => currenciesText(currencies) },
  { title: 'Created', isMinor: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

const most = 6;
const currenciesText = (currencies: string[]): string =>
  currencies.slice(0, most).join(', ') + (currencies.length > most ? ` and ${currencies.length - most} more` : '');

export function Providers() {
  const mayForAll = useMayForAll();
  const query = useInfiniteQuery(listQuery('ProviderList', {}));
  const { shown, show } = useSecretToShow();
  return (
    <Page
      title="Game providers"
      actions={
        mayForAll('ProviderCreate') && (
          <DialogButton
            label="New game provider"
            variant="filled"
            size="sm"
            dialog={(close) => <NewProviderDialog onMade={show} onClose={close} />}
          />
        )
      }
    >
      <AdminRequests target={{ kind: 'provider' }} />
      <ListTable
        label="Game providers"
        query={query}
        rowsOf={(page) => page.providers}
        keyOf={({ provider_id }) => provider_id}
        columns={columns}
        empty={
          <Empty title="No game providers yet">
            Game providers supply the games and place the bets. Import a catalogue, or create one here.
          </Empty>
        }
      />
      {shown}
    </Page>
  );
}

interface Given extends Access {
  name: string;
  id: string;
  currencies: string[];
}

const nothing: Given = { name: '', id: '', currencies: [], signing: 'plain', allow_from: null };

interface NewProviderDialogProps {
  onMade(provider: CallResponse<'ProviderCreate'>): void;
  onClose(): void;
}

function NewProviderDialog({ onMade, onClose }: NewProviderDialogProps) {
  const form = useForm({ initialValues: nothing });
  const change = useChange('provider');
  const { currencies, signing, allow_from } = form.values;
  const [name, id] = [form.values.name.trim(), form.values.id.trim()];
  const isComplete = name !== '' && currencies.length > 0;
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="New game provider"
      action="Create game provider"
      isBlocked={!isComplete}
      onConfirm={async (reason) =>
        onMade(await change('ProviderCreate', { name, ...(id && { id }), currencies, signing, allow_from, reason }))
      }
    >
      <TextInput label="Name" {...form.getInputProps('name')} required maxLength={128} data-autofocus />
      <TextInput
        label="provider_id"
        description="Permanent. Empty: derived from the name."
        {...form.getInputProps('id')}
      />
      <TagsInput
        label="Currencies"
        description="The currencies its games support, such as EUR."
        value={currencies}
        onChange={(codes) =>
          form.setFieldValue(
            'currencies',
            splitTags(codes).map((code) => code.toUpperCase()),
          )
        }
        splitChars={[',', ' ']}
        required
      />
      <AccessFields access={form.values} onChange={form.setValues} />
      <Consequences
        sentences={[
          `${name || 'The game provider'} can call the API at once. Its secret is shown once, to you.`,
          'It has no games until you import them into the catalogue, and it is not in any partner’s offer yet.',
        ]}
      />
    </ChangeDialog>
  );
}

type Made = CallResponse<'ProviderCreate'>;

/** Shows the secret of a new game provider, then opens the provider. */
function useSecretToShow() {
  const [made, show] = useState<Made>();
  const navigate = useNavigate();
  const shown = made && (
    <SecretShown
      name={made.name}
      secret={made.secret}
      onDone={() => void navigate({ to: `/providers/${made.provider_id}` })}
    >
      Their provider_id is {made.provider_id}.
    </SecretShown>
  );
  return { shown, show };
}
