import { Button, Skeleton, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { download } from '../../api/call.ts';
import { useMay } from '../../api/session.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { SandboxChoice, useReach } from '../../ui/reach.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { viewerZone } from '../../ui/zone.ts';
import { useIsTimePending, usePartnerNow } from '../sandbox/partner-time.tsx';
import { ReportChart } from './report-chart.tsx';
import { ReportFilters } from './report-filters.tsx';
import { ReportTable } from './report-table.tsx';
import { type InAddress, selectionOf, troubleOf } from './selection.ts';

const route = getRouteApi('/inside/reports');

/** The hours that are counted begin at the same moment everywhere: where a day begins in the middle of one, that is to be known. */
const hoursNote = new Date().getTimezoneOffset() % 60 === 0 ? '' : ', each with the hours of UTC that begin in it';

/** What happened, by what one likes. */
export function Reports() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const reach = useReach(search);
  const now = new Date(usePartnerNow(reach.clientId));
  const isTimePending = useIsTimePending(reach.clientId);
  const selection = selectionOf(search, reach.asked, now);
  const change = (next: InAddress) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const save = useMutation({ mutationFn: () => download('ReportExport', { ...selection.asked, by: selection.by }) });
  if (!may('ReportGet')) {
    return (
      <Page title="Reports">
        <Empty title="Your role does not read reports">Managers, admins and auditors do.</Empty>
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
  const trouble = troubleOf(selection);
  return (
    <Page
      title="Reports"
      about={`Days are those of ${viewerZone}${hoursNote}. Money of different currencies is never added.`}
      actions={
        <Button
          variant="default"
          loading={save.isPending}
          disabled={trouble !== undefined || reach.isPending}
          onClick={() => save.mutate()}
        >
          Save as CSV
        </Button>
      }
    >
      <ReportFilters search={search} selection={selection} now={now} onChange={change}>
        <SandboxChoice reach={reach} onChange={(sandboxes) => change({ sandboxes })} />
      </ReportFilters>
      {save.error && <RefusalNote error={save.error} />}
      {trouble ? (
        <Empty title={trouble[0]}>{trouble[1]}</Empty>
      ) : (
        !reach.isPending && (
          <>
            <ReportChart search={search} selection={selection} onChange={change} />
            <ReportTable selection={selection} isWithoutSandboxes={reach.canChoose && !reach.areSandboxes} />
            <Text size="xs" c="dimmed">
              A bet counts in the hour in which it was placed, a win in that of its settlement. A free bet has no game:
              what was issued, cancelled and expired stands in rows without one.
            </Text>
          </>
        )
      )}
    </Page>
  );
}
