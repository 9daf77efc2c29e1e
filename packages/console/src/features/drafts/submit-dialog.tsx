import { Text } from '@mantine/core';
import type { AnswerOf } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { MoneyList } from '../../ui/money.tsx';
import { WhoIsAsked } from './cost-panel.tsx';
import { atMost } from './kinds.ts';

interface SubmitDialogProps {
  /** As it was when the dialog was opened: exactly this is submitted. */
  draft: AnswerOf<'DraftSave'>;
  onClose(): void;
}

export function SubmitDialog({ draft, onClose }: SubmitDialogProps) {
  const { client_id, draft_id, revision } = draft;
  const change = useChange('draft');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Submit"
      action={draft.needs_approval ? 'Ask for approval' : 'Submit and carry out'}
      carryOut={(reason) => change('DraftSubmit', { client_id, draft_id, revision, reason })}
    >
      <Text size="sm" component="div">
        <b>{draft.title}</b> can cost {atMost(draft.kind)}
        <MoneyList amounts={draft.max_exposure ?? []} />
      </Text>
      <WhoIsAsked draft={draft} />
    </ChangeDialog>
  );
}
