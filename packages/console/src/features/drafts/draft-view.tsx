import type { DraftContents } from '@freebets/contract';
import { Alert, Anchor, Button, Grid, Skeleton, Stack, Text, Timeline, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '../../api/call.ts';
import { idInPath } from '../../ui/address-id.ts';
import { MoneyList } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { limitsText, termsOf } from '../campaigns/terms.ts';
import { TermsPanel } from '../campaigns/terms-panel.tsx';
import { freeBetsText } from '../lists/counts.ts';
import { OwnTermsPanel } from '../lists/own-terms-panel.tsx';
import { WhoIsAsked } from './cost-panel.tsx';
import { Differences } from './differences.tsx';
import { DraftActions, useRead, WhoDecides } from './draft-actions.tsx';
import type { CampaignContent } from './draft-form.ts';
import { kindNames } from './kinds.ts';
import { ProblemList } from './problem-list.tsx';
import { plainProblems } from './problems.ts';
import { useTermsOfList } from './terms-of-list.ts';

type Found = AnswerOf<'DraftGet'>;

/** What it will do, in words and figures, and what has happened to it. */
export function DraftView({ latest }: { latest: Found }) {
  const { draft, isOutdated, readLatest } = useRead(latest);
  return (
    <Page
      title={draft.title ?? 'Draft without a name'}
      mark={<Status is={draft.state} />}
      about={
        <>
          {kindNames[draft.kind]} · by {draft.author.name} · changed <Time at={draft.changed_at} />
        </>
      }
      actions={<DraftActions draft={draft} isOutdated={isOutdated} />}
    >
      {isOutdated && (
        <Alert color="orange" title={`${latest.author.name} has changed it since you opened it`} role="alert">
          <Button size="compact-sm" onClick={readLatest}>
            Show it as it is
          </Button>
        </Alert>
      )}
      <WhoDecides draft={draft} />
      <Problems draft={draft} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <Part title={draft.state === 'approved' ? 'What it did' : 'What it will do'}>
              <WhatItDoes draft={draft} />
            </Part>
            {draft.differences && draft.differences.length > 0 && (
              <Part title={draft.kind === 'limits' ? 'What changes' : 'Other than in the campaign it was copied from'}>
                <Differences differences={draft.differences} />
              </Part>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <Cost draft={draft} />
            <Part title="History">
              <History draft={draft} />
            </Part>
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

/** Of one that is open nothing is wrong: it is not finished. */
function Problems({ draft: { state, problems } }: { draft: Found }) {
  const plain = plainProblems(problems);
  if (plain.length === 0) return null;
  if (state === 'open') {
    return (
      <Alert color="gray" variant="light" title="It is still being written" role="status">
        <ProblemList problems={plain} />
      </Alert>
    );
  }
  // Of what has no details the list has the message; and that fields are wrong, they say themselves.
  const said = problems.find(({ error, details = [] }) => details.length > 0 && error !== 'invalid_request');
  return (
    <Alert color="red" variant="light" title="It could not be carried out at this moment" role="alert">
      {said && <Text size="sm">{said.message}</Text>}
      <ProblemList problems={plain} />
    </Alert>
  );
}

const Part = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <Stack gap="xs">
    <Title order={2}>{title}</Title>
    {children}
  </Stack>
);

const Cost = ({ draft }: { draft: Found }) => (
  <Part title={draft.kind === 'limits' ? 'The most it can cost more' : 'The most it can cost'}>
    <Stack className="panel" p="md" gap="sm">
      <Text size="xl" fw={700} component="div">
        {draft.max_exposure ? <MoneyList amounts={draft.max_exposure} /> : '–'}
      </Text>
      {(draft.state === 'open' || draft.state === 'submitted') && <WhoIsAsked draft={draft} />}
    </Stack>
  </Part>
);

function WhatItDoes({ draft }: { draft: Found }) {
  const { client_id, kind, content, title, target_id } = draft;
  if (kind === 'campaign') return <TermsPanel terms={termsOf(content as CampaignContent, draft)} />;
  return (
    <Stack className="panel" p="md">
      {kind === 'limits' ? (
        <LimitsSentence clientId={client_id} title={title} content={content as DraftContents['limits']} />
      ) : (
        <Text>
          The list{' '}
          <Anchor inherit underline="always" component={Link} to={`/p/${client_id}/lists/${target_id ?? ''}`}>
            {title ?? target_id}
          </Anchor>{' '}
          starts, and issues {freeBetsText(Number(content.items ?? 0))} with the terms of the list.
        </Text>
      )}
      {kind === 'job' && target_id !== null && <TermsOfList draft={draft} />}
    </Stack>
  );
}

function TermsOfList({ draft }: { draft: Found }) {
  const { data, error, refetch } = useTermsOfList(draft);
  if (error && !data) return <RefusalNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} />;
  return !('campaign_id' in data) && <OwnTermsPanel job={data} />;
}

interface LimitsProps {
  clientId: number;
  title: string | null;
  content: DraftContents['limits'];
}

const LimitsSentence = ({ clientId, title, content }: LimitsProps) => (
  <Text>
    The campaign{' '}
    <Anchor
      inherit
      underline="always"
      component={Link}
      to={`/p/${clientId}/campaigns/${idInPath(content.campaign_id)}`}
    >
      {title ?? content.campaign_id}
    </Anchor>{' '}
    then gives {limitsText({ limit: content.bonus_limit, limitPerPlayer: content.bonus_limit_per_user })}.
  </Text>
);

const deeds: Record<string, string> = {
  DraftSave: 'Saved',
  DraftCopy: 'Copied',
  DraftSubmit: 'Submitted',
  DraftApprove: 'Approved',
  DraftRefuse: 'Refused',
  DraftDiscard: 'Discarded',
};

const History = ({ draft: { history } }: { draft: Found }) => (
  <Timeline bulletSize={12} lineWidth={2} active={history.length}>
    {history.map(({ at, action, email, reason }) => (
      <Timeline.Item key={`${at} ${action}`} title={deeds[action] ?? action}>
        <Text size="xs" c="dimmed" component="div">
          {email} · <Time at={at} />
        </Text>
        {reason && <Text size="sm">“{reason}”</Text>}
      </Timeline.Item>
    ))}
  </Timeline>
);
