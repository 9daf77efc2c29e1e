import { Button, Group, MultiSelect, Select, Skeleton, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { download } from '../../api/call.ts';
import { callQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { viewerZone } from '../../ui/dates.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { DateField, SearchField } from '../../ui/fields.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { SandboxChoice, usePartnerScope } from '../../ui/partner-select.tsx';
import { nothingFound } from '../../ui/words.ts';
import { campaignOptions } from '../campaigns/picker.tsx';
import { useIsTimePending, usePartnerNow } from '../sandbox/partner-time.tsx';
import { ReportChart } from './report-chart.tsx';
import { ReportTable } from './report-table.tsx';
import {
  groups,
  groupText,
  maxGroups,
  quickChoices,
  type ReportSearch,
  type Selection,
  selectionError,
  selectionOf,
} from './selection.ts';

const route = getRouteApi('/inside/reports');

/**
 * Figures are counted in UTC hours. In time zones off by half an hour, a day contains the UTC hours that begin in it.
 */
const hoursNote = new Date().getTimezoneOffset() % 60 === 0 ? '' : ', in whole UTC hours';

/** Figures for a period, grouped by up to three criteria. */
export function Reports() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const scope = usePartnerScope(search);
  const now = new Date(usePartnerNow(scope.clientId));
  const isTimePending = useIsTimePending(scope.clientId);
  const selection = selectionOf(search, scope.asked, now);
  const change = (next: ReportSearch) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const save = useMutation({ mutationFn: () => download('ReportExport', { ...selection.asked, by: selection.by }) });
  if (!may('ReportGet')) {
    return (
      <Page title="Reports">
        <Empty title="Your role does not allow this">Managers, admins and auditors can read reports.</Empty>
      </Page>
    );
  }
  if (isTimePending) {
    return (
      <Page title="Reports">
        <Skeleton height={96} />
        <Skeleton height={260} />
      </Page>
    );
  }
  const trouble = selectionError(selection);
  return (
    <Page
      title="Reports"
      about={`Days are in ${viewerZone}${hoursNote}. Amounts in different currencies are not added.`}
      actions={
        <Button
          variant="default"
          loading={save.isPending}
          disabled={trouble !== undefined || scope.isPending}
          onClick={() => save.mutate()}
        >
          Export CSV
        </Button>
      }
    >
      <ReportFilters search={search} selection={selection} now={now} onChange={change}>
        <SandboxChoice scope={scope} onChange={(sandboxes) => change({ sandboxes })} />
      </ReportFilters>
      {save.error && <ErrorNote error={save.error} />}
      {trouble ? (
        <Empty title={trouble[0]}>{trouble[1]}</Empty>
      ) : (
        !scope.isPending && (
          <>
            <ReportChart search={search} selection={selection} onChange={change} />
            <ReportTable selection={selection} isWithoutSandboxes={scope.canChoose && !scope.areSandboxes} />
            <Text size="xs" c="dimmed">
              Bets count when they are placed, winnings when they are settled. Issued, cancelled and expired free bets
              have no game, so they are in rows without one.
            </Text>
          </>
        )
      )}
    </Page>
  );
}

interface ReportFiltersProps {
  search: ReportSearch;
  selection: Selection;
  /** The current time of the chosen partner. */
  now: Date;
  onChange(next: ReportSearch): void;
  /** More filters, after the others. */
  children: ReactNode;
}

const ReportFilters = (props: ReportFiltersProps) => (
  <Group align="flex-end" gap="sm" className="panel" p="md">
    <Days {...props} />
    <About {...props} />
    {props.children}
  </Group>
);

const Days = ({ selection: { from, to }, now, onChange }: ReportFiltersProps) => (
  <>
    <Button.Group aria-label="Period" style={{ flexWrap: 'wrap' }}>
      {quickChoices(now).map((choice) => {
        const isChosen = choice.from === from && choice.to === to;
        return (
          <Button
            key={choice.label}
            variant={isChosen ? 'light' : 'default'}
            aria-pressed={isChosen}
            px={{ base: 8, sm: 'sm' }}
            onClick={() => onChange({ from: choice.from, to: choice.to })}
          >
            {choice.label}
          </Button>
        );
      })}
    </Button.Group>
    <DateField label="From" value={from} onChange={(day) => onChange({ from: day || undefined })} isPaused />
    <DateField label="To (inclusive)" value={to} onChange={(day) => onChange({ to: day || undefined })} isPaused />
  </>
);

const About = ({ search, selection: { by, asked }, onChange }: ReportFiltersProps) => (
  <>
    <MultiSelect
      label={`Group by (up to ${maxGroups})`}
      data={groups.map((value) => ({ value, label: groupText(value) }))}
      value={by}
      maxValues={maxGroups}
      miw={220}
      onChange={(value) => onChange({ by: value.length === 0 ? undefined : value.join(',') })}
    />
    <CampaignFilter
      clientId={asked.client_id}
      campaignId={search.campaign}
      onChange={(campaign) => onChange({ campaign })}
    />
  </>
);

interface CampaignFilterProps {
  /** Undefined for several partners. */
  clientId: number | undefined;
  campaignId: string | undefined;
  onChange(campaignId: string | undefined): void;
}

/** One partner's campaigns can be searched by name; across partners only the ID identifies a campaign. */
const CampaignFilter = ({ clientId, campaignId, onChange }: CampaignFilterProps) =>
  clientId === undefined ? (
    <SearchField label="Campaign" placeholder="Any, or an ID" value={campaignId} onSearch={onChange} maxLength={128} />
  ) : (
    <NamedCampaigns clientId={clientId} campaignId={campaignId} onChange={onChange} />
  );

function NamedCampaigns({ clientId, campaignId, onChange }: CampaignFilterProps & { clientId: number }) {
  const [typed, setTyped] = useState('');
  const chosen = useQuery({
    ...callQuery('CampaignGet', { client_id: clientId, campaign_id: campaignId ?? '' }),
    enabled: campaignId !== undefined,
    placeholderData: undefined,
  }).data;
  const wanted = typed === chosen?.name ? '' : typed.trim();
  const [search] = useDebouncedValue(wanted, 200);
  const query = useQuery(callQuery('CampaignSearch', { client_id: clientId, limit: 20, ...(search && { search }) }));
  const found = query.data?.campaigns ?? [];
  const isListed = campaignId === undefined || found.some(({ campaign_id }) => campaign_id === campaignId);
  const { data: options = [], renderOption } = campaignOptions(isListed || !chosen ? found : [chosen, ...found]);
  return (
    <Select
      label="Campaign"
      placeholder="Any"
      data={isListed || chosen ? options : [campaignId, ...options]}
      renderOption={renderOption}
      error={query.error?.message}
      value={campaignId ?? null}
      onChange={(value) => onChange(value ?? undefined)}
      searchable
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={nothingFound('No matching campaigns', search === wanted, query)}
      clearable
      miw={220}
    />
  );
}
