import type { DraftBody } from '@freebets/contract';
import { Alert, Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { MoneyList } from '../../ui/figures.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { approvalText, atMost, type PlainProblem, ProblemList } from './words.tsx';

type Checked = AnswerOf<'DraftSave'>;

interface CostPanelProps {
  draft: Checked;
  problems: PlainProblem[];
  isSaved: boolean;
  isSaving: boolean;
}

/** The most that it can cost, as the service counts it with each save. */
export function CostPanel({ draft, problems, isSaved, isSaving }: CostPanelProps) {
  return (
    <Stack className="panel" p="md" gap="sm" role="region" aria-label="The most it can cost">
      <Text size="sm" c="dimmed">
        The most it can cost
      </Text>
      <Text size="xl" fw={700} component="div" opacity={isSaved ? 1 : 0.6} aria-busy={isSaving} aria-live="polite">
        {draft.max_exposure ? <MoneyList amounts={draft.max_exposure} /> : '–'}
      </Text>
      {draft.max_exposure && <WhoIsAsked draft={draft} />}
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

/** What its submission leads to. */
export function WhoIsAsked({ draft: { needs_approval, approval_reasons } }: { draft: Checked }) {
  if (needs_approval === null) return null;
  if (!needs_approval) {
    return (
      <Alert variant="light" color="green" p="xs" title="No approval needed">
        Submitted, it is carried out at once.
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

type Named = Pick<DraftBody, 'client_id' | 'draft_id' | 'title'>;

/** Nothing was given by it, so no reason is asked for. */
export function DiscardButton({ draft: { client_id, draft_id, title } }: { draft: Named }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const change = useChange('draft');
  const discard = useMutation({ mutationFn: () => change('DraftDiscard', { client_id, draft_id }) });
  return (
    <>
      <Button variant="default" onClick={open}>
        Discard
      </Button>
      <Modal opened={isOpen} onClose={() => discard.isPending || close()} title="Discard the draft" centered>
        <Text size="sm">{title ?? 'The draft'} is given up for good. No campaign and no player is touched by it.</Text>
        {discard.error && <RefusalNote error={discard.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close} disabled={discard.isPending} data-autofocus>
            Keep it
          </Button>
          <Button color="red" loading={discard.isPending} onClick={() => discard.mutate()}>
            Discard it
          </Button>
        </Group>
      </Modal>
    </>
  );
}
