import { Alert, List, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '../../api/call.ts';
import { MoneyList } from '../../ui/money.tsx';
import { ProblemList } from './problem-list.tsx';
import { approvalText, type PlainProblem } from './problems.ts';

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
