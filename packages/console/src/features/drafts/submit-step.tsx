import { Alert, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { termsOf } from '../campaigns/terms.ts';
import { TermsPanel } from '../campaigns/terms-panel.tsx';
import { type CampaignContent, type CampaignForm, contentOf } from './draft-form.ts';
import { ProblemList } from './problem-list.tsx';
import type { PlainProblem } from './problems.ts';
import { SubmitDialog } from './submit-dialog.tsx';

interface SubmitStepProps {
  form: CampaignForm;
  draft: AnswerOf<'DraftSave'>;
  isSaved: boolean;
  problems: PlainProblem[];
}

export function SubmitStep({ form, draft, isSaved, problems }: SubmitStepProps) {
  const [asked, setAsked] = useState<SubmitStepProps['draft'] | null>(null);
  const isReady = isSaved && problems.length === 0;
  return (
    <Stack>
      <TermsPanel terms={termsOf(contentOf(form) as CampaignContent, draft)} />
      {problems.length > 0 && (
        <Alert color="orange" variant="light" title="It cannot be submitted yet">
          <ProblemList problems={problems} />
        </Alert>
      )}
      <div>
        <Button disabled={!isReady} onClick={() => setAsked(draft)}>
          Submit…
        </Button>
        <Text size="xs" c="dimmed" mt={4}>
          {isReady && draft.needs_approval ? 'A colleague is then asked to approve it.' : ''}
        </Text>
      </div>
      {asked && <SubmitDialog draft={asked} onClose={() => setAsked(null)} />}
    </Stack>
  );
}
