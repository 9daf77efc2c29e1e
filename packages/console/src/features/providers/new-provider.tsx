import { TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { partsOf } from '../../ui/tag-parts.ts';
import { WhatHappens } from '../../ui/what-happens.tsx';
import { AccessFields } from '../callers/access.tsx';
import type { Access } from '../callers/caller.ts';

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

export function NewProviderDialog({ onMade, onClose }: NewProviderDialogProps) {
  const [given, setGiven] = useState(nothing);
  const set = (part: Partial<Given>) => setGiven((before) => ({ ...before, ...part }));
  const change = useChange('provider');
  const [name, id] = [given.name.trim(), given.id.trim()];
  const { currencies, signing, allow_from } = given;
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
      <TextInput
        label="Name"
        value={given.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        required
        maxLength={128}
        data-autofocus
      />
      <TextInput
        label="provider_id"
        description="Left empty, it is made of the name. It stays for good."
        value={given.id}
        onChange={({ currentTarget }) => set({ id: currentTarget.value })}
      />
      <TagsInput
        label="Currencies"
        description="In which its games can be played, such as EUR."
        value={currencies}
        onChange={(codes) => set({ currencies: partsOf(codes).map((code) => code.toUpperCase()) })}
        splitChars={[',', ' ']}
        required
      />
      <AccessFields access={given} onChange={set} />
      <WhatHappens
        sentences={[
          `${name || 'The provider'} can call at once, with a secret that is shown one time, to you.`,
          'It has no games until the catalogue has some of it, and no partner is offered them yet.',
        ]}
      />
    </ChangeDialog>
  );
}
