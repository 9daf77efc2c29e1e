import { Button, Group, Stack, Switch } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/details.tsx';
import { Page } from '../../ui/page.tsx';
import { WhatHappens } from '../../ui/what-happens.tsx';
import { WholeNumberInput } from '../../ui/whole-number-input.tsx';
import { AccessFields } from '../callers/access.tsx';
import type { Access } from '../callers/caller.ts';
import { SecretShown } from '../callers/secret-shown.tsx';
import { OfferField } from './offer.tsx';
import { type Settings, SettingsFields } from './settings.tsx';

interface Given extends Settings, Access {
  id: number | string;
  offers: string[];
  sandbox: boolean;
}

const nothing: Given = {
  name: '',
  id: '',
  offers: [],
  stake_returned: false,
  sandbox: false,
  signing: 'plain',
  allow_from: null,
};

export function NewPartner() {
  const [given, setGiven] = useState(nothing);
  const [isAsking, setIsAsking] = useState(false);
  const [made, setMade] = useState<AnswerOf<'PartnerCreate'>>();
  const navigate = useNavigate();
  const set = (part: Partial<Given>) => setGiven((before) => ({ ...before, ...part }));
  return (
    <Page title="New partner" about="A casino or sportsbook that gives free bets to its players.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setIsAsking(true);
        }}
      >
        <Stack maw={560}>
          <Fields given={given} set={set} />
          <Group>
            <Button type="submit" disabled={given.name.trim() === ''}>
              Create…
            </Button>
          </Group>
        </Stack>
      </form>
      {isAsking && <CreateDialog given={given} onMade={setMade} onClose={() => setIsAsking(false)} />}
      {made && (
        <SecretShown
          name={made.name}
          secret={made.secret}
          onDone={() => void navigate({ to: `/partners/${made.client_id}` })}
        >
          Their client_id is {made.client_id}.
        </SecretShown>
      )}
    </Page>
  );
}

const Fields = ({ given, set }: { given: Given; set(part: Partial<Given>): void }) => (
  <>
    <Details title="Settings">
      <SettingsFields settings={given} onChange={set} />
      <WholeNumberInput
        label="client_id"
        description="Left empty, it is the next free one. It stays for good."
        value={given.id}
        onChange={(id) => set({ id })}
        min={1}
        max={2_147_483_647}
        w={240}
      />
      <Switch
        label="Sandbox"
        description="For trying things out, with a clock that can be set forward. It stays a sandbox for good."
        checked={given.sandbox}
        onChange={({ currentTarget }) => set({ sandbox: currentTarget.checked })}
      />
    </Details>
    <Details title="Offer">
      <OfferField offers={given.offers} onChange={(offers) => set({ offers })} />
    </Details>
    <Details title="Calls">
      <AccessFields access={given} onChange={set} />
    </Details>
  </>
);

interface CreateDialogProps {
  given: Given;
  onMade(partner: AnswerOf<'PartnerCreate'>): void;
  onClose(): void;
}

function CreateDialog({ given, onMade, onClose }: CreateDialogProps) {
  const change = useChange('partner');
  const { name: words, id, ...rest } = given;
  const name = words.trim();
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Create ${name}`}
      action="Create partner"
      carryOut={async (reason) =>
        onMade(await change('PartnerCreate', { ...rest, name, ...(id !== '' && { id: Number(id) }), reason }))
      }
    >
      <WhatHappens
        sentences={[
          `${name} can call ${given.allow_from === null ? 'from anywhere' : `from ${given.allow_from.join(', ')}`}, with ${given.signing} signing.`,
          given.offers.length === 0
            ? 'It is offered no games yet.'
            : `It is offered the games of ${given.offers.length} ${given.offers.length === 1 ? 'provider' : 'providers'}.`,
          given.sandbox && 'It is a sandbox for good.',
          'Its secret is shown one time, to you.',
        ]}
      />
    </ChangeDialog>
  );
}
