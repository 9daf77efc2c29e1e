import { Anchor, TagsInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { listing } from '../../api/queries.ts';
import { useMayForAll } from '../../api/session.ts';
import { ChangeDialog, DialogButton, WhatHappens } from '../../ui/change-dialog.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { partsOf } from '../../ui/words.ts';
import { type Access, AccessFields } from '../callers/caller.tsx';
import { SecretShown } from '../callers/secrets.tsx';
import { AdminRequests } from '../confirmations/requests.tsx';

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

interface Given extends Access {
  name: string;
  id: string;
  currencies: string[];
}

const nothing: Given = { name: '', id: '', currencies: [], signing: 'plain', allow_from: null };

interface NewProviderDialogProps {
  onMade(provider: AnswerOf<'ProviderCreate'>): void;
  onClose(): void;
}

function NewProviderDialog({ onMade, onClose }: NewProviderDialogProps) {
  const form = useForm({ initialValues: nothing });
  const change = useChange('provider');
  const { currencies, signing, allow_from } = form.values;
  const [name, id] = [form.values.name.trim(), form.values.id.trim()];
  const isWhole = name !== '' && currencies.length > 0;
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="New provider"
      action="Create provider"
      isBlocked={!isWhole}
      carryOut={async (reason) =>
        onMade(await change('ProviderCreate', { name, ...(id && { id }), currencies, signing, allow_from, reason }))
      }
    >
      <TextInput label="Name" {...form.getInputProps('name')} required maxLength={128} data-autofocus />
      <TextInput
        label="provider_id"
        description="Left empty, it is made of the name. It stays for good."
        {...form.getInputProps('id')}
      />
      <TagsInput
        label="Currencies"
        description="In which its games can be played, such as EUR."
        value={currencies}
        onChange={(codes) =>
          form.setFieldValue(
            'currencies',
            partsOf(codes).map((code) => code.toUpperCase()),
          )
        }
        splitChars={[',', ' ']}
        required
      />
      <AccessFields access={form.values} onChange={form.setValues} />
      <WhatHappens
        sentences={[
          `${name || 'The provider'} can call at once, with a secret that is shown one time, to you.`,
          'It has no games until the catalogue has some of it, and no partner is offered them yet.',
        ]}
      />
    </ChangeDialog>
  );
}

type Made = AnswerOf<'ProviderCreate'>;

/** The secret of a provider that was just made; from there one goes to the provider. */
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
