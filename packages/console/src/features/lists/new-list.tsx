import type { CampaignGetResponse, JobBody } from '@freebets/contract';
import { Alert, Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { CallError } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { newId } from '../../ui/address.ts';
import { moneyText } from '../../ui/figures.tsx';
import { useFittingCurrencies } from '../../ui/games.tsx';
import { LeaveDialog, useHeld, useLeaving } from '../../ui/leaving.tsx';
import { Details, Empty, Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { Status } from '../../ui/status.tsx';
import { CampaignPicker } from '../campaigns/picker.tsx';
import { newOwnForm, type OwnForm, OwnTermsFields, TermsChoice } from '../drafts/own-terms.tsx';
import { type CheckedList, checkList, type HowToCheck } from './check-list.ts';
import { Columns, ListSource } from './list-source.tsx';
import { columnsNotUsed, type ListTable, onlyCurrency } from './list-table.ts';
import {
  type DirectJob,
  freeBetsText,
  type ListTerms,
  OwnTermsPanel,
  ownFormOfJob,
  termsOfCampaign,
  termsOfOwn,
} from './list-terms.tsx';
import { SendDialog } from './send-dialog.tsx';
import { Summary } from './summary.tsx';

const route = getRouteApi('/inside/p/$clientId/lists/new');

/** From a file to a list that is started. What it will do is shown before anything happens. */
export function NewList() {
  const clientId = Number(route.useParams().clientId);
  const may = useMay();
  if (!may('JobCreate')) {
    return (
      <Page title="New list">
        <Empty title="Your role does not allow this">Managers and admins give free bets to lists.</Empty>
      </Page>
    );
  }
  return (
    <Page title="New list" about="Gives a free bet to every player of a list.">
      <Begun clientId={clientId} />
      <ListAndTerms key={clientId} clientId={clientId} />
    </Page>
  );
}

/** The list that was chosen, whichever terms it gets. */
interface OfList {
  clientId: number;
  table: ListTable | null;
  onTable(table: ListTable | null): void;
  /** What is typed, and not read yet. */
  text: string;
  onText(text: string): void;
  /** Which read of a list is the latest, also where it was begun under other terms. */
  latestRead: RefObject<number>;
  /** Of all players, where somebody has said it. */
  currency: string | null;
  onCurrency(currency: string | null): void;
  /** While whoever is about to leave is asked about it. */
  isLeaving: boolean;
}

/** What is given for one kind of terms is there still when somebody comes back from the other. */
function ListAndTerms({ clientId }: { clientId: number }) {
  const isOwn = route.useSearch().terms === 'own';
  const navigate = route.useNavigate();
  const [table, setTable] = useState<ListTable | null>(null);
  const [text, setText] = useState('');
  const latestRead = useRef(0);
  const [currency, setCurrency] = useState<string | null>(null);
  const [own, setOwn] = useState<OwnForm>();
  const isBegun = table !== null || text.trim() !== '' || own !== undefined;
  useHeld(isBegun);
  const leaving = useLeaving({ isHere: isBegun });
  const choose = (isOwn: boolean) =>
    // What was sent of a list has its terms for good.
    navigate({ search: ({ job: _, terms: __, ...kept }) => (isOwn ? { ...kept, terms: 'own' } : kept), replace: true });
  const isLeaving = leaving.status === 'blocked';
  const given = { table, onTable: setTable, text, onText: setText, currency, onCurrency: setCurrency };
  const list = { clientId, ...given, latestRead, isLeaving };
  return (
    <>
      <LeaveDialog leaving={leaving} title="Not sent">
        What you chose and typed here is not kept. A list that is being sent is broken off, unless it is started
        already.
      </LeaveDialog>
      <TermsChoice isOwn={isOwn} onChoose={(own) => void choose(own)} />
      {isOwn ? <OfOwnTerms {...list} own={own} onOwn={setOwn} /> : <OfCampaign {...list} />}
    </>
  );
}

function OfCampaign(list: OfList) {
  const { clientId } = list;
  const { campaign: campaignId } = route.useSearch();
  const navigate = route.useNavigate();
  const chosen = useQuery({
    ...asking('CampaignGet', { client_id: clientId, campaign_id: campaignId ?? '' }),
    enabled: campaignId !== undefined,
  });
  const { data: campaign } = chosen;
  const choose = (value: string | null) =>
    navigate({
      search: ({ job: _, campaign: __, ...kept }) => (value === null ? kept : { ...kept, campaign: value }),
      replace: true,
    });
  return (
    <>
      <CampaignPicker
        clientId={clientId}
        chosen={campaignId === undefined ? undefined : campaign}
        onChoose={(value) => void choose(value)}
        maw={480}
      />
      {campaignId === undefined && (
        <Empty title="Choose the campaign first">
          Then give the list of players. What it will do and cost is shown before anything happens.
        </Empty>
      )}
      {chosen.error && campaignId !== undefined && (
        <RefusalNote error={chosen.error} onRetry={() => void chosen.refetch()} />
      )}
      {campaign && campaign.campaign_id === campaignId && (
        <Stack gap="lg" key={campaignId}>
          <Given campaign={campaign} />
          <Players {...list} terms={termsOfCampaign(campaign)} areKnown />
        </Stack>
      )}
    </>
  );
}

interface OfOwnList extends OfList {
  /** As somebody has changed them here. */
  own: OwnForm | undefined;
  onOwn(own: OwnForm): void;
}

/** The terms of a list that was begun stay as they are. Another begins with those of the list that the address names, if it does. */
function OfOwnTerms(list: OfOwnList) {
  const { job, like } = route.useSearch();
  // One that is begun here has its id in the address before it is there.
  const [begunId] = useState(job);
  const begun = useJob(list.clientId, begunId);
  const model = useJob(list.clientId, like);
  if (begun.isLoading || model.isLoading) return <Skeleton height={160} />;
  // One that is not there yet has no terms; of one that could not be read nobody knows them.
  const unread = [begun, model].find(({ data, error }) => error && !data && !isNotFound(error));
  if (unread?.error) return <RefusalNote error={unread.error} onRetry={() => void unread.refetch()} />;
  const fixed = directOf(begun.data);
  return <OwnList key={like} {...list} model={fixed ?? directOf(model.data)} isFixed={fixed !== undefined} />;
}

const directOf = (job: JobBody | undefined): DirectJob | undefined =>
  job && !('campaign_id' in job) ? job : undefined;

interface OwnListProps extends OfOwnList {
  model: DirectJob | undefined;
  isFixed: boolean;
}

function OwnList({ model, isFixed, own: changed, onOwn, ...list }: OwnListProps) {
  const [first] = useState(() => (model ? ownFormOfJob(model) : newOwnForm()));
  const form = useForm({ initialValues: changed ?? first, onValuesChange: onOwn });
  const own = isFixed ? first : form.values;
  const { currencies, isPending, error, retry } = useFittingCurrencies(own.games);
  return (
    <Stack gap="lg">
      {isFixed && model ? (
        <OwnTermsPanel job={model} />
      ) : (
        <Details title="What each player gets">
          <OwnTermsFields clientId={list.clientId} form={form} />
        </Details>
      )}
      {error && <RefusalNote error={error} onRetry={retry} />}
      <Players {...list} terms={termsOfOwn(own, currencies)} areKnown={!isPending && !error} />
    </Stack>
  );
}

const isNotFound = (error: Error): boolean => error instanceof CallError && error.status === 404;

function useJob(clientId: number, jobId: string | undefined) {
  return useQuery({
    ...asking('JobGet', { client_id: clientId, job_id: jobId ?? '' }),
    // The terms of one list are never those of another.
    placeholderData: undefined,
    enabled: jobId !== undefined,
    retry: (times, error) => times < 2 && !isNotFound(error),
  });
}

/** The list whose id is in the address, where it was sent in part before. */
function useBegun(clientId: number) {
  const { job } = route.useSearch();
  const { data } = useJob(clientId, job);
  return job === undefined ? undefined : data;
}

function Begun({ clientId }: { clientId: number }) {
  const begun = useBegun(clientId);
  if (begun === undefined) return null;
  const isOpen = begun.status === 'open';
  return (
    <Alert
      color={isOpen ? 'yellow' : 'accent'}
      title={isOpen ? `“${begun.name}” was begun, and is not started` : `“${begun.name}” is started`}
    >
      <Text size="sm" component="div">
        {isOpen ? (
          `It holds ${freeBetsText(begun.items)} so far. Give the same list again, and it goes on where it was.`
        ) : (
          <Anchor component={Link} size="sm" to={`/p/${clientId}/lists/${begun.job_id}`}>
            See how it goes
          </Anchor>
        )}
      </Text>
    </Alert>
  );
}

interface PlayersProps extends OfList {
  terms: ListTerms;
  /** Whether it is known which currencies the terms have: no line is checked before. */
  areKnown: boolean;
}

function Players({ terms, areKnown, ...list }: PlayersProps) {
  const { clientId, table, onTable, currency, onCurrency } = list;
  const { job } = route.useSearch();
  const navigate = route.useNavigate();
  const begun = useBegun(clientId);
  /** As it was checked when somebody said to go on without its wrong lines: checked again, it may have others. */
  const [approved, setApproved] = useState<CheckedList>();
  const [isSending, sending] = useDisclosure(false);
  const isOwn = terms.campaign === null;
  const currencies = terms.bet_amounts.map((each) => each.currency);
  const isOffered = currency !== null && currencies.includes(currency);
  const commonCurrency = isOffered ? currency : table && onlyCurrency(table, currencies);
  const checked = useCheckedList(areKnown ? table : null, { currencies, currency: commonCurrency, isOwn });
  const leavesOut = checked !== undefined && checked === approved;
  const choose = (chosen: ListTable | null) => {
    onTable(chosen);
    onCurrency(null);
  };
  const open = () => {
    void navigate({ search: (before) => ({ ...before, job: job ?? newId() }), replace: true });
    sending.open();
  };
  const { request } = terms;
  // Whoever is in the list would be refused, now and later.
  const isOver = terms.campaign?.status === 'ended' || terms.campaign?.status === 'stopped';
  const isChecked = checked && checked.items.length > 0 && (checked.wrong.length === 0 || leavesOut);
  const isReady = request !== null && isChecked && !isOver;
  return (
    <>
      <ListSource {...list} isOwn={isOwn} onTable={choose} />
      {table && <Columns {...{ table, currencies, currency: commonCurrency, isOwn, onTable, onCurrency }} />}
      {table && checked && (
        <Summary
          {...{ clientId, terms, checked, notUsed: columnsNotUsed(table, isOwn), leavesOut }}
          onLeaveOut={(leaves) => setApproved(leaves ? checked : undefined)}
        />
      )}
      <Group justify="flex-end">
        <Button disabled={!isReady || (begun !== undefined && begun.status !== 'open')} onClick={open}>
          {begun?.status === 'open' ? 'Go on…' : 'Give the free bets…'}
        </Button>
      </Group>
      {isSending && table && checked && request && job !== undefined && (
        <SendDialog
          {...{ clientId, terms: { ...terms, request }, checked, jobId: job, begun, fileName: table.name }}
          isCovered={list.isLeaving}
          onClose={sending.close}
        />
      )}
    </>
  );
}

/** What each player gets. */
const Given = ({ campaign: { quantity, bet_amounts, status } }: { campaign: CampaignGetResponse }) => (
  <Group gap="sm">
    <Status is={status} />
    <Text size="sm">
      Each player gets {quantity} {quantity === 1 ? 'bet' : 'bets'} of{' '}
      {bet_amounts
        .slice(0, 6)
        .map(({ amount, currency }) => moneyText(amount, currency))
        .join(' or ')}
      {bet_amounts.length > 6 && ` or in ${bet_amounts.length - 6} more currencies`}.
    </Text>
  </Group>
);

/** What the check of a list has found; undefined while it goes on. */
function useCheckedList(table: ListTable | null, { currencies, currency, isOwn }: HowToCheck): CheckedList | undefined {
  const [checked, setChecked] = useState<CheckedList>();
  const known = currencies.join(' ');
  useEffect(() => {
    setChecked(undefined);
    if (table === null) return;
    const ended = new AbortController();
    checkList(table, { currencies: known.split(' '), currency, isOwn }, ended.signal).then(setChecked, () => {});
    return () => ended.abort();
  }, [table, known, currency, isOwn]);
  return checked;
}
