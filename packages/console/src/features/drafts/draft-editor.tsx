import { Alert, Badge, Button, Grid, Group, Stack, Stepper } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { CallError, type CallResponse } from '../../api/call.ts';
import { oneOf } from '../../ui/address.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { LeaveDialog } from '../../ui/leave-guard.tsx';
import { Page } from '../../ui/page.tsx';
import { type CampaignContent, contentOf, formOf } from './draft-form.ts';
import { forgetUnsaved, unsavedOf, useSaving } from './saving.ts';
import { StepBody, SubmitStep } from './steps.tsx';
import { CostPanel, DiscardButton } from './submit.tsx';
import { type PlainProblem, plainProblems, type Step, stepNames, steps } from './words.tsx';

const route = getRouteApi('/inside/p/$clientId/drafts/$draftId');

interface EditorProps {
  draft: CallResponse<'DraftGet'>;
  onReload(): void;
}

export function DraftEditor({ draft, onReload }: EditorProps) {
  const [firstForm] = useState(() => formOf(draft.content as CampaignContent));
  const [unsaved] = useState(() => unsavedOf(draft.draft_id, draft.revision));
  const form = useForm({ initialValues: unsaved?.isOfThis ? formOf(unsaved.content) : firstForm });
  const [text, firstText] = [form.values, firstForm].map((each) => JSON.stringify(contentOf(each))) as [string, string];
  const [isOffered, setOffered] = useState(unsaved !== undefined && !unsaved.isOfThis && unsaved.text !== firstText);
  const { checked, isSaved, error, saveAgain, leaving } = useSaving(draft, text, firstText);
  const problems = plainProblems(checked.problems);
  // A newer revision exists, so a retry would fail again.
  const isOld = error instanceof CallError && error.error === 'draft_changed';
  const isChangedElsewhere = isOld || draft.revision > checked.revision;
  const clientId = draft.client_id;
  return (
    <Page
      title={form.values.name.trim() || 'Untitled campaign'}
      mark={
        <Badge variant="light" color="gray" tt="none">
          {isSaved ? 'draft, saved' : error ? 'not saved' : 'saving…'}
        </Badge>
      }
      about="No free bets are issued until you submit the draft."
      actions={<DiscardButton draft={checked} />}
    >
      {error && !isOld && <ErrorNote error={error} onRetry={saveAgain} />}
      <LeaveDialog leaving={leaving} title="Leave without saving?">
        Your last changes could not be saved. This browser tab keeps them: open the draft here again to save them.
      </LeaveDialog>
      {unsaved && isOffered && (
        <UnsavedOffer
          onUse={() => form.setValues(formOf(unsaved.content))}
          onKeep={() => forgetUnsaved(draft.draft_id, unsaved.text)}
          onChosen={() => setOffered(false)}
        />
      )}
      {isChangedElsewhere && <ChangedElsewhere onReload={onReload} />}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8.5 }}>
          <Steps problems={problems}>
            {(step) =>
              step === 'submit' ? (
                <SubmitStep form={form.values} draft={checked} isSaved={isSaved} problems={problems} />
              ) : (
                <StepBody step={step} clientId={clientId} form={form} problems={problems} />
              )
            }
          </Steps>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 3.5 }}>
          <CostPanel draft={checked} problems={problems} isSaved={isSaved} isSaving={!isSaved && !error} />
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function UnsavedOffer({ onUse, onKeep, onChosen }: { onUse(): void; onKeep(): void; onChosen(): void }) {
  const choose = (act: () => void) => () => {
    act();
    onChosen();
  };
  return (
    <Alert color="orange" title="You have unsaved changes to an older version">
      <Group gap="xs">
        <Button size="compact-sm" onClick={choose(onUse)}>
          Use my changes
        </Button>
        <Button size="compact-sm" variant="default" onClick={choose(onKeep)}>
          Discard my changes
        </Button>
      </Group>
    </Alert>
  );
}

const ChangedElsewhere = ({ onReload }: Pick<EditorProps, 'onReload'>) => (
  <Alert color="orange" title="This draft was changed in another window">
    <Button size="compact-sm" onClick={onReload}>
      Show latest version
    </Button>
  </Alert>
);

interface StepsProps {
  problems: PlainProblem[];
  children(step: Step): React.ReactNode;
}

/** The step is in the address. Users can open any step at any time. */
function Steps({ problems, children }: StepsProps) {
  const navigate = route.useNavigate();
  const step = oneOf(stepNames, route.useSearch().step) ?? 'games';
  const at = stepNames.indexOf(step);
  const go = (to: number) => void navigate({ search: { step: stepNames[to] ?? 'games' } });
  return (
    <Stack>
      <Stepper active={at} onStepClick={go} size="xs" iconSize={26} wrap={false} className="panel steps" p="sm">
        {stepNames.map((each) => (
          <Stepper.Step
            key={each}
            label={steps[each]}
            aria-current={each === step ? 'step' : undefined}
            color={problems.some((problem) => problem.step === each) ? 'orange' : undefined}
          />
        ))}
      </Stepper>
      <Stack className="panel" p="md">
        {children(step)}
        <Group justify="space-between">
          {at > 0 ? (
            <Button variant="default" onClick={() => go(at - 1)}>
              Back
            </Button>
          ) : (
            <span />
          )}
          {at < stepNames.length - 1 && (
            <Button onClick={() => go(at + 1)}>Next: {steps[stepNames[at + 1] ?? 'submit']}</Button>
          )}
        </Group>
      </Stack>
    </Stack>
  );
}
