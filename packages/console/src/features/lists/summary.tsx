import { Alert, Button, Checkbox, Group, List, Stack, Table, Text, Title } from '@mantine/core';
import { CallError, type CallRequest } from '../../api/call.ts';
import { useDryRun } from '../../api/queries.ts';
import { saveCsv } from '../../ui/download.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count, Money } from '../../ui/figures.tsx';
import { cut } from '../../ui/words.ts';
import { costOfList, leftOf } from '../campaigns/cost.ts';
import { useStakeReturned } from '../campaigns/terms.tsx';
import { plainError } from '../drafts/words.tsx';
import type { CheckedList, Promised } from './check-list.ts';
import { freeBetsText, type ListTerms, playersText, usePromised } from './list-terms.tsx';

interface SummaryProps {
  clientId: number;
  terms: ListTerms;
  checked: CheckedList;
  /** Ignored columns of the list. */
  notUsed: string[];
  leavesOut: boolean;
  onLeaveOut(leavesOut: boolean): void;
}

const shownLines = 10;
const shownLength = 300;
const textOf = (cells: string[]): string => cells.join(', ');
const shownText = (cells: string[]): string => {
  const text = textOf(cells);
  if (text === '') return '';
  return text.length > shownLength ? ` (${cut(text, shownLength)}…)` : ` (${text})`;
};

/** The effect of the bulk award, before anything is sent. */
export function Summary({ clientId, terms, checked, notUsed, leavesOut, onLeaveOut }: SummaryProps) {
  const promised = usePromised(terms, checked);
  return (
    <Stack gap="sm" component="section" aria-label="Summary">
      <Title order={2}>Summary</Title>
      <Text size="sm">
        {freeBetsText(checked.items.length)} {promised.freeBets < checked.items.length && 'in the list '}for{' '}
        {playersText(checked)}, {count(checked.repeated.length)}{' '}
        {checked.repeated.length === 1 ? 'duplicate' : 'duplicates'} among them; {count(checked.wrong.length)} invalid{' '}
        {checked.wrong.length === 1 ? 'line' : 'lines'}.
      </Text>
      {notUsed.length > 0 && (
        <Text size="sm" className="name">
          Ignored columns: {notUsed.join(', ')}.
        </Text>
      )}
      <CostTable {...{ clientId, terms, promised }} />
      <Wrong {...{ checked, leavesOut, onLeaveOut }} />
      <Repeated checked={checked} />
      {terms.campaign && <Limits campaign={terms.campaign} promised={promised} />}
      <FirstPlayerCheck {...{ clientId, terms, checked }} />
    </Stack>
  );
}

type Tried = Pick<SummaryProps, 'clientId' | 'terms' | 'checked'>;

function CostTable({ clientId, terms, promised }: Omit<Tried, 'checked'> & { promised: Promised }) {
  const stakeReturned = useStakeReturned(clientId, terms.campaign);
  const costs = terms.request === null ? [] : costOfList(terms, promised.alike, stakeReturned);
  if (costs.length === 0) return null;
  return (
    <Table.ScrollContainer minWidth={320} type="native" className="panel">
      <Table aria-label="Maximum liability" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Currency</Table.Th>
            <Table.Th ta="right">Free bets</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Maximum stakes
            </Table.Th>
            <Table.Th ta="right">Maximum liability</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {costs.map(({ currency, players, staked, won }) => (
            <Table.Tr key={currency}>
              <Table.Td>{currency}</Table.Td>
              <Table.Td ta="right">{count(players)}</Table.Td>
              <Table.Td ta="right" visibleFrom="sm">
                <Money amount={staked} currency={currency} />
              </Table.Td>
              <Table.Td ta="right">{won === null ? 'unlimited' : <Money amount={won} currency={currency} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Wrong({ checked, leavesOut, onLeaveOut }: Pick<SummaryProps, 'checked' | 'leavesOut' | 'onLeaveOut'>) {
  const { wrong } = checked;
  if (wrong.length === 0) return null;
  const save = () =>
    saveCsv('invalid-lines.csv', [
      ['line', 'reason', 'text'],
      ...wrong.map(({ line, problem, cells }) => [line, problem, textOf(cells)]),
    ]);
  return (
    <Alert color="orange" title={`${count(wrong.length)} invalid ${wrong.length === 1 ? 'line' : 'lines'}`}>
      <List size="sm" className="name">
        {wrong.slice(0, shownLines).map(({ line, problem, cells }) => (
          <List.Item key={line}>
            line {line}: {problem}
            {shownText(cells)}
          </List.Item>
        ))}
        {wrong.length > shownLines && <List.Item>and {count(wrong.length - shownLines)} more</List.Item>}
      </List>
      <Group mt="sm" gap="md">
        <Checkbox
          label={`Continue without ${wrong.length === 1 ? 'it' : 'them'}`}
          checked={leavesOut}
          onChange={(event) => onLeaveOut(event.currentTarget.checked)}
        />
        <Button size="compact-sm" variant="default" onClick={save}>
          Export invalid lines
        </Button>
      </Group>
    </Alert>
  );
}

function Repeated({ checked: { repeated } }: { checked: CheckedList }) {
  if (repeated.length === 0) return null;
  const save = () =>
    saveCsv('duplicates.csv', [
      ['line', 'player_id', 'first_line'],
      ...repeated.map(({ line, playerId, before }) => [line, playerId, before]),
    ]);
  return (
    <Alert color="yellow" title={`${count(repeated.length)} ${repeated.length === 1 ? 'duplicate' : 'duplicates'}`}>
      <Text size="sm">A player who is listed twice gets two free bets, unless the per-player cap is lower.</Text>
      <List size="sm" className="name">
        {repeated.slice(0, shownLines).map(({ line, playerId, before }) => (
          <List.Item key={line}>
            line {line}: {playerId} is also on line {before}
          </List.Item>
        ))}
        {repeated.length > shownLines && <List.Item>and {count(repeated.length - shownLines)} more</List.Item>}
      </List>
      <Button mt="sm" size="compact-sm" variant="default" onClick={save}>
        Export duplicates
      </Button>
    </Alert>
  );
}

interface LimitsProps {
  campaign: NonNullable<ListTerms['campaign']>;
  promised: Promised;
}

/** What the campaign's caps will certainly refuse. */
function Limits({ campaign, promised: { beyondPlayers, beyondCampaign } }: LimitsProps) {
  const perPlayer = campaign.config.bonus_limit_per_user ?? 0;
  const notes = [
    beyondCampaign > 0 &&
      `The campaign cap leaves ${freeBetsText(leftOf(campaign) ?? 0)}: ${count(beyondCampaign)} of this list would be refused.`,
    beyondPlayers > 0 &&
      `The per-player cap is ${count(perPlayer)}: ${count(beyondPlayers)} of the duplicates would be refused.`,
  ].filter((note) => note !== false);
  return notes.map((note) => (
    <Alert key={note} color="orange">
      {note}
    </Alert>
  ));
}

/** A dry run with the first player, which shows problems that concern all players. */
function FirstPlayerCheck({ clientId, terms, checked }: Tried) {
  const [first] = checked.items;
  const { issue_id: _, ...item } = first ?? { player_id: '', currency: '' };
  const request = { client_id: clientId, ...terms.request, ...item } as CallRequest<'Issue'>;
  const { data, error } = useDryRun('Issue', request, first !== undefined && terms.request !== null);
  // A bulk award with its own terms is approved as a whole.
  if (error instanceof CallError && error.error === 'approval_needed') return null;
  // A paused campaign refuses no players of a bulk award; the bulk award waits.
  if (error instanceof CallError && error.error === 'campaign_paused')
    return <Alert color="yellow">The campaign is paused. The bulk award would wait until you resume it.</Alert>;
  if (error) {
    return (
      <>
        <Text size="sm">Checked with the first player, {first?.player_id}, who would be refused:</Text>
        <ErrorNote error={plainError(error)} />
      </>
    );
  }
  if (!data) return null;
  return (
    <Text size="sm" c="dimmed">
      Checked with the first player, {data.player_id}, who would get a free bet.
    </Text>
  );
}
