import type { CampaignGetResponse, JobBody } from '@freebets/contract';
import { Alert, Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { CallError } from '../../api/call.ts';
import { callQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { newId } from '../../ui/address.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { moneyText } from '../../ui/figures.tsx';
import { useFittingCurrencies } from '../../ui/games.tsx';
import { LeaveDialog, useLeaveGuard, useUnsavedWork } from '../../ui/leave-guard.tsx';
import { Details, Empty, Page } from '../../ui/page.tsx';
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

/** Creates a bulk award from a list. A summary shows its effect before anything is sent. */
export function NewList() {
  const clientId = Number(route.useParams().clientId);
  const may = useMay();
  if (!may('JobCreate')) {
    return (
      <Page title="New bulk award">
        <Empty title="Your role does not allow this">Managers and admins start bulk awards.</Empty>
      </Page>
    );
  }
  return (
    <Page title="New bulk award" about="Issues a free bet to every player of a list.">
      <Begun clientId={clientId} />
      <ListAndTerms key={clientId} clientId={clientId} />
    </Page>
  );
}

/** The chosen list, independent of its terms. */
interface PlayerList {
  clientId: number;
  table: ListTable | null;
  onTable(table: ListTable | null): void;
  /** Pasted text that is not read yet. */
  text: string;
  onText(text: string): void;
  /** The number of the latest read of a list, even if it began under other terms. */
  latestRead: RefObject<number>;
  /** The chosen currency for all players. */
  currency: string | null;
  onCurrency(currency: string | null): void;
  /** The leave question is open. */
  isLeaving: boolean;
}

/** Keeps the entries of both kinds of terms when the user switches between them. */
function ListAndTerms({ clientId }: { clientId: number }) {
  const isOwn = route.useSearch().terms === 'own';
  const navigate = route.useNavigate();
  const [table, setTable] = useState<ListTable | null>(null);
  const [text, setText] = useState('');
  const latestRead = useRef(0);
  const [currency, setCurrency] = useState<string | null>(null);
  const [own, setOwn] = useState<OwnForm>();
  const isBegun = table !== null || text.trim() !== '' || own !== undefined;
  useUnsavedWork(isBegun);
  const leaving = useLeaveGuard({ isActive: isBegun });
  const choose = (isOwn: boolean) =>
    // An uploaded part fixes the terms, so other terms need another job.
    navigate({ search: ({ job: _, terms: __, ...kept }) => (isOwn ? { ...kept, terms: 'own' } : kept), replace: true });
  const isLeaving = leaving.status === 'blocked';
  const given = { table, onTable: setTable, text, onText: setText, currency, onCurrency: setCurrency };
  const list = { clientId, ...given, latestRead, isLeaving };
  return (
    <>
      <LeaveDialog leaving={leaving} title="Leave without sending?">
        Your list and your entries here will be lost. An upload in progress stops, unless the bulk award has started.
      </LeaveDialog>
      <TermsChoice isOwn={isOwn} onChoose={(own) => void choose(own)} />
      {isOwn ? <WithOwnTerms {...list} own={own} onOwn={setOwn} /> : <WithCampaign {...list} />}
    </>
  );
}

function WithCampaign(list: PlayerList) {
  const { clientId } = list;
  const { campaign: campaignId } = route.useSearch();
  const navigate = route.useNavigate();
  const chosen = useQuery({
    ...callQuery('CampaignGet', { client_id: clientId, campaign_id: campaignId ?? '' }),
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
        <Empty title="Choose a campaign">
          Then add the list of players. You see the effect and the maximum liability before anything is issued.
        </Empty>
      )}
      {chosen.error && campaignId !== undefined && (
        <ErrorNote error={chosen.error} onRetry={() => void chosen.refetch()} />
      )}
      {campaign && campaign.campaign_id === campaignId && (
        <Stack gap="lg" key={campaignId}>
          <EachPlayerGets campaign={campaign} />
          <Players {...list} terms={termsOfCampaign(campaign)} areKnown />
        </Stack>
      )}
    </>
  );
}

interface OwnTermsList extends PlayerList {
  /** The terms as edited on this screen. */
  own: OwnForm | undefined;
  onOwn(own: OwnForm): void;
}

/** An upload in progress keeps its terms. A new one starts with the terms of the `like` job in the address, if any. */
function WithOwnTerms(list: OwnTermsList) {
  const { job, like } = route.useSearch();
  // A new upload has its ID in the address before it exists on the server.
  const [begunId] = useState(job);
  const begun = useJob(list.clientId, begunId);
  const model = useJob(list.clientId, like);
  if (begun.isLoading || model.isLoading) return <Skeleton height={160} />;
  // A job that does not exist yet has no terms; one that failed to load has unknown terms.
  const unread = [begun, model].find(({ data, error }) => error && !data && !isNotFound(error));
  if (unread?.error) return <ErrorNote error={unread.error} onRetry={() => void unread.refetch()} />;
  const fixed = directOf(begun.data);
  return <OwnList key={like} {...list} model={fixed ?? directOf(model.data)} isFixed={fixed !== undefined} />;
}

const directOf = (job: JobBody | undefined): DirectJob | undefined =>
  job && !('campaign_id' in job) ? job : undefined;

interface OwnListProps extends OwnTermsList {
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
      {error && <ErrorNote error={error} onRetry={retry} />}
      <Players {...list} terms={termsOfOwn(own, currencies)} areKnown={!isPending && !error} />
    </Stack>
  );
}

const isNotFound = (error: Error): boolean => error instanceof CallError && error.status === 404;

function useJob(clientId: number, jobId: string | undefined) {
  return useQuery({
    ...callQuery('JobGet', { client_id: clientId, job_id: jobId ?? '' }),
    // Never show the terms of another bulk award.
    placeholderData: undefined,
    enabled: jobId !== undefined,
    retry: (times, error) => times < 2 && !isNotFound(error),
  });
}

/** The bulk award in the address, if a part of it was uploaded before. */
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
      title={isOpen ? `The upload of “${begun.name}” is incomplete` : `“${begun.name}” has started`}
    >
      <Text size="sm" component="div">
        {isOpen ? (
          `${freeBetsText(begun.items)} uploaded so far. Choose the same list again to continue.`
        ) : (
          <Anchor component={Link} size="sm" to={`/p/${clientId}/lists/${begun.job_id}`}>
            Show progress
          </Anchor>
        )}
      </Text>
    </Alert>
  );
}

interface PlayersProps extends PlayerList {
  terms: ListTerms;
  /** Whether the currencies of the terms are loaded. Lines are checked only then. */
  areKnown: boolean;
}

function Players({ terms, areKnown, ...list }: PlayersProps) {
  const { clientId, table, onTable, currency, onCurrency } = list;
  const { job } = route.useSearch();
  const navigate = route.useNavigate();
  const begun = useBegun(clientId);
  /** The check result whose invalid lines the user agreed to leave out. A new check can have other invalid lines. */
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
  // Every player would be refused.
  const hasEnded = terms.campaign?.status === 'ended' || terms.campaign?.status === 'stopped';
  const isChecked = checked && checked.items.length > 0 && (checked.wrong.length === 0 || leavesOut);
  const isReady = request !== null && isChecked && !hasEnded;
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
          {begun?.status === 'open' ? 'Continue…' : 'Issue free bets…'}
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

const EachPlayerGets = ({ campaign: { quantity, bet_amounts, status } }: { campaign: CampaignGetResponse }) => (
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

/** The check result; undefined while the check runs. */
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
