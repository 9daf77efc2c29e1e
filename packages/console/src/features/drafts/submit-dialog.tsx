import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, call } from '../../api/call.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { MoneyList } from '../../ui/money.tsx';
import { WhatHappens } from './cost-panel.tsx';

interface SubmitDialogProps {
  draft: AnswerOf<'DraftSave'>;
  isOpen: boolean;
  onClose(): void;
}

export function SubmitDialog({ draft, isOpen, onClose }: SubmitDialogProps) {
  const queries = useQueryClient();
  const carryOut = async (reason: string) => {
    const { client_id, draft_id, revision } = draft;
    await call('DraftSubmit', { client_id, draft_id, revision, reason });
    await queries.invalidateQueries({ queryKey: ['DraftGet'] });
  };
  return (
    <ChangeDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Submit"
      action={draft.needs_approval ? 'Ask for approval' : 'Submit and carry out'}
      carryOut={carryOut}
    >
      <Text size="sm" component="div">
        <b>{draft.title}</b> can cost at most
        <MoneyList amounts={draft.max_exposure ?? []} />
      </Text>
      <WhatHappens draft={draft} />
    </ChangeDialog>
  );
}
