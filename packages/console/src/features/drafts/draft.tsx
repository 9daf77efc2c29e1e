import type { DraftContents, DraftDifference } from '@freebets/contract';
import { Alert, Anchor, Button, Grid, Skeleton, Stack, Table, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { CallResponse } from '../../api/call.ts';
import { callQuery } from '../../api/queries.ts';
import { usePerson } from '../../api/session.ts';
import { idInPath } from '../../ui/address.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count, MoneyList, moneyText } from '../../ui/figures.tsx';
import { useGames } from '../../ui/games.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { dayText, durationText, limitsText, TermsPanel, termsOf } from '../campaigns/terms.tsx';
import { freeBetsText, OwnTermsPanel } from '../lists/list-terms.tsx';
import { DraftActions, DraftStatus, useRead, useTermsOfList } from './draft-actions.tsx';
import { DraftEditor } from './draft-editor.tsx';
import type { CampaignContent } from './draft-form.ts';
import { ApprovalNote } from './submit.tsx';
import { kindNames, labelOf, ProblemList, plainProblems } from './words.tsx';

const route = getRouteApi('/inside/p/$clientId/drafts/$draftId');

/**
 * The author of an open campaign draft gets the editor. All other drafts are shown with their effect and the decision.
 */
export function Draft() {
  const { clientId, draftId } = route.useParams();
  const { staff_id } = usePerson();
  const [opened, setOpened] = useState(0);
  const { data, error, refetch } = useQuery({
    ...callQuery('DraftGet', { client_id: Number(clientId), draft_id: draftId }),
    placeholderData: undefined,
  });
  if (!data) {
    return (
      <Page title="Draft">
        {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton height={320} />}
      </Page>
    );
  }
  const isEdited = data.state === 'open' && data.kind === 'campaign' && data.author.staff_id === staff_id;
  if (!isEdited) return <DraftView key={draftId} latest={data} />;
  const reload = async () => {
    await refetch();
    setOpened(opened + 1);
  };
  return <DraftEditor key={`${draftId} ${opened}`} draft={data} onReload={() => reload().catch(reportError)} />;
}

type Found = CallResponse<'DraftGet'>;

function DraftView({ latest }: { latest: Found }) {
  const { draft, isOutdated, readLatest } = useRead(latest);
  return (
    <Page
      title={draft.title ?? 'Untitled draft'}
      mark={<Status is={draft.state} of="draft" />}
      about={
        <>
          {kindNames[draft.kind]} · by {draft.author.name} · changed <Time at={draft.changed_at} />
        </>
      }
      actions={<DraftActions draft={draft} isOutdated={isOutdated} />}
    >
      {isOutdated && (
        <Alert color="orange" title={`${latest.author.name} changed this draft while you had it open`} role="alert">
          <Button size="compact-sm" onClick={readLatest}>
            Show latest version
          </Button>
        </Alert>
      )}
      <DraftStatus draft={draft} />
      <Problems draft={draft} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <Part title={draft.state === 'approved' ? 'What it did' : 'What it will do'}>
              <Effect draft={draft} />
            </Part>
            {draft.differences && draft.differences.length > 0 && (
              <Part title={draft.kind === 'limits' ? 'Changes' : 'Changes from the original campaign'}>
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

/** An open draft may be incomplete, so its problems are not an alarm. */
function Problems({ draft: { state, problems } }: { draft: Found }) {
  const plain = plainProblems(problems);
  if (plain.length === 0) return null;
  if (state === 'open') {
    return (
      <Alert color="gray" variant="light" title="This draft is not finished" role="status">
        <ProblemList problems={plain} />
      </Alert>
    );
  }
  // The list already has the message of problems without details, and lists the fields of invalid requests.
  const problem = problems.find(({ error, details = [] }) => details.length > 0 && error !== 'invalid_request');
  return (
    <Alert color="red" variant="light" title="This draft cannot be applied now" role="alert">
      {problem && <Text size="sm">{problem.message}</Text>}
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
  <Part title={draft.kind === 'limits' ? 'Additional maximum liability' : 'Maximum liability'}>
    <Stack className="panel" p="md" gap="sm">
      <Text size="xl" fw={700} component="div">
        {draft.max_exposure ? <MoneyList amounts={draft.max_exposure} /> : '–'}
      </Text>
      {(draft.state === 'open' || draft.state === 'submitted') && <ApprovalNote draft={draft} />}
    </Stack>
  </Part>
);

function Effect({ draft }: { draft: Found }) {
  const { client_id, kind, content, title, target_id } = draft;
  if (kind === 'campaign') return <TermsPanel terms={termsOf(content as CampaignContent, draft)} />;
  return (
    <Stack className="panel" p="md">
      {kind === 'limits' ? (
        <LimitsSentence clientId={client_id} title={title} content={content as DraftContents['limits']} />
      ) : (
        <Text>
          The bulk award{' '}
          <Anchor inherit underline="always" component={Link} to={`/p/${client_id}/lists/${target_id ?? ''}`}>
            {title ?? target_id}
          </Anchor>{' '}
          starts and issues {freeBetsText(Number(content.items ?? 0))} with its own terms.
        </Text>
      )}
      {kind === 'job' && target_id !== null && <TermsOfList draft={draft} />}
    </Stack>
  );
}

function TermsOfList({ draft }: { draft: Found }) {
  const { data, error, refetch } = useTermsOfList(draft);
  if (error && !data) return <ErrorNote error={error} onRetry={() => void refetch()} />;
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
    then issues {limitsText({ limit: content.bonus_limit, limitPerPlayer: content.bonus_limit_per_user })}.
  </Text>
);

const actionLabels: Record<string, string> = {
  DraftSave: 'Saved',
  DraftCopy: 'Copied from a campaign',
  DraftSubmit: 'Submitted',
  DraftApprove: 'Approved',
  DraftRefuse: 'Rejected',
  DraftDiscard: 'Discarded',
};

const History = ({ draft: { history } }: { draft: Found }) => (
  <Timeline bulletSize={12} lineWidth={2} active={history.length}>
    {history.map(({ at, action, email, reason }) => (
      <Timeline.Item key={`${at} ${action}`} title={actionLabels[action] ?? action}>
        <Text size="xs" c="dimmed" component="div">
          {email} · <Time at={at} />
        </Text>
        {reason && <Text size="sm">“{reason}”</Text>}
      </Timeline.Item>
    ))}
  </Timeline>
);

type Amounts = { currency: string; amount: string }[];

/** Before and after, with the labels of the form. */
function Differences({ differences }: { differences: DraftDifference[] }) {
  const { titleOf } = useGames(gamesIn(differences));
  return (
    <Table.ScrollContainer minWidth={320} className="panel">
      <Table aria-label="Differences">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Current</Table.Th>
            <Table.Th>Draft</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ field, from, to }) => (
            <Table.Tr key={field}>
              <Table.Td>{labelOf(field)}</Table.Td>
              <Table.Td c="dimmed">{valueText(field, from, to, titleOf)}</Table.Td>
              <Table.Td fw={600}>{valueText(field, to, from, titleOf)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const gamesIn = (differences: DraftDifference[]): string[] =>
  differences.flatMap(({ field, from, to }) =>
    field === 'games' ? [...((from ?? []) as string[]), ...((to ?? []) as string[])] : [],
  );

/** Lists only the games that the other side lacks. */
function valueText(field: string, value: unknown, other: unknown, titleOf: (id: string) => string): string {
  if (value === null) return field.includes('limit') ? 'no cap' : 'not set';
  if (field === 'games') return gamesText(value as string[], (other ?? []) as string[], titleOf);
  if (field === 'bet_amounts')
    return (value as Amounts).map((each) => moneyText(each.amount, each.currency)).join(', ');
  if (field === 'valid_from' || field === 'valid_until') return dayText(String(value));
  if (field === 'duration_min') return durationText(Number(value));
  return typeof value === 'number' ? count(value) : String(value);
}

function gamesText(games: string[], others: string[], titleOf: (id: string) => string): string {
  const own = games.filter((id) => !others.includes(id));
  const shared = games.length - own.length;
  const named = own.slice(0, 8).map(titleOf).join(', ') + (own.length > 8 ? ` and ${count(own.length - 8)} more` : '');
  if (shared === 0) return named;
  return own.length === 0 ? `${count(shared)} shared` : `${named} and ${count(shared)} shared`;
}
