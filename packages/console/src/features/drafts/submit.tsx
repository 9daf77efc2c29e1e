import type { DraftBody } from '@freebets/contract';
import { Alert, Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { CallResponse } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { MoneyList } from '../../ui/figures.tsx';
import { approvalText, liabilityText, type PlainProblem, ProblemList } from './words.tsx';

type Checked = CallResponse<'DraftSave'>;

interface CostPanelProps {
  draft: Checked;
  problems: PlainProblem[];
  isSaved: boolean;
  isSaving: boolean;
}

/** The maximum liability, which the service calculates on each save. */
export function CostPanel({ draft, problems, isSaved, isSaving }: CostPanelProps) {
  return (
    <Stack className="panel" p="md" gap="sm" role="region" aria-label="Maximum liability">
      <Text size="sm" c="dimmed">
        Maximum liability
      </Text>
      <Text size="xl" fw={700} component="div" opacity={isSaved ? 1 : 0.6} aria-busy={isSaving} aria-live="polite">
        {draft.max_exposure ? <MoneyList amounts={draft.max_exposure} /> : '–'}
      </Text>
      {draft.max_exposure && <ApprovalNote draft={draft} />}
      {problems.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            Still to do
          </Text>
          <ProblemList problems={problems} />
        </div>
      )}
    </Stack>
  );
}

/** Whether submitting needs an approval, and why. */
export function ApprovalNote({ draft: { needs_approval, approval_reasons } }: { draft: Checked }) {
  if (needs_approval === null) return null;
  if (!needs_approval) {
    return (
      <Alert variant="light" color="green" p="xs" title="No approval needed">
        It goes live as soon as you submit it.
      </Alert>
    );
  }
  return (
    <Alert variant="light" color="orange" p="xs" title="A colleague must approve it">
      <List size="sm">
        {approval_reasons.map((each) => (
          <List.Item key={`${each.reason} ${each.currency}`}>{approvalText(each)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

interface SubmitDialogProps {
  /** The revision from when the dialog was opened. Exactly this revision is submitted. */
  draft: CallResponse<'DraftSave'>;
  onClose(): void;
}

export function SubmitDialog({ draft, onClose }: SubmitDialogProps) {
  const { client_id, draft_id, revision } = draft;
  const change = useChange('draft');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Submit draft"
      action={draft.needs_approval ? 'Submit for approval' : 'Submit and apply'}
      onConfirm={(reason) => change('DraftSubmit', { client_id, draft_id, revision, reason })}
    >
      <Text size="sm" component="div">
        <b>{draft.title}</b>. {liabilityText(draft.kind)}:
        <MoneyList amounts={draft.max_exposure ?? []} />
      </Text>
      <ApprovalNote draft={draft} />
    </ChangeDialog>
  );
}

type Named = Pick<DraftBody, 'client_id' | 'draft_id' | 'title'>;

/** A draft has issued nothing, so discarding it needs no reason. */
export function DiscardButton({ draft: { client_id, draft_id, title } }: { draft: Named }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const change = useChange('draft');
  const discard = useMutation({ mutationFn: () => change('DraftDiscard', { client_id, draft_id }) });
  return (
    <>
      <Button variant="default" onClick={open}>
        Discard draft…
      </Button>
      <Modal opened={isOpen} onClose={() => discard.isPending || close()} title="Discard draft" centered>
        <Text size="sm">This permanently discards {title ?? 'the draft'}. No campaign or player is affected.</Text>
        {discard.error && <ErrorNote error={discard.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close} disabled={discard.isPending} data-autofocus>
            Keep draft
          </Button>
          <Button color="red" loading={discard.isPending} onClick={() => discard.mutate()}>
            Discard draft
          </Button>
        </Group>
      </Modal>
    </>
  );
}
