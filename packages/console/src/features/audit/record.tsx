import type { AuditRecord } from '@freebets/contract';
import { Anchor, Skeleton } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { AnchorLink } from '../../ui/anchor-link.tsx';
import { Details } from '../../ui/details.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { exactText } from '../../ui/time.tsx';
import { BeforeAndAfter } from './before-and-after.tsx';
import { chainOf } from './filter.ts';
import { actionText, actorOf, actorText, TargetLink } from './words.tsx';

const route = getRouteApi('/inside/audit/$chain/$sequence');

/** Records are listed by time, so one is sought among those of its moment. */
const recordQuery = (chain: string, sequence: number, at: string) =>
  queryOptions({
    queryKey: ['AuditRecord', chain, sequence, at],
    async queryFn({ signal }): Promise<AuditRecord | null> {
      const until = new Date(Date.parse(at) + 1).toISOString();
      const moment = { client_id: chainOf(chain) ?? null, from: at, until, limit: 500 };
      let cursor: string | null | undefined;
      do {
        const page = await call('AuditList', { ...moment, ...(cursor && { cursor }) }, signal);
        const record = page.records.find((each) => each.sequence === sequence);
        if (record) return record;
        cursor = page.next_cursor;
      } while (cursor);
      return null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export function AuditRecordScreen() {
  const { chain, sequence } = route.useParams();
  const { at = '' } = route.useSearch();
  const isMoment = !Number.isNaN(Date.parse(at));
  const { data, error, refetch } = useQuery({ ...recordQuery(chain, Number(sequence), at), enabled: isMoment });
  if (data) return <RecordPage record={data} />;
  return (
    <Page title={`Record ${sequence}`}>
      {error ? (
        <RefusalNote error={error} onRetry={() => void refetch()} />
      ) : data === null || !isMoment ? (
        <Empty title="There is no such record">
          <Anchor component={Link} to="/audit">
            All records
          </Anchor>
        </Empty>
      ) : (
        <Skeleton height={320} />
      )}
    </Page>
  );
}

function RecordPage({ record }: { record: AuditRecord }) {
  const { client_id, sequence, at, action, address, request_id, reason, target, before, after, hash } = record;
  const { staff_id, email, kind, role } = actorOf(record);
  return (
    <Page title={actionText(action)} about={exactText(at)}>
      <Details
        title="Record"
        rows={[
          [
            'Who',
            <AnchorLink key="who" to="/audit" search={{ who: email ?? staff_id ?? kind }} size="sm">
              {actorText(record)}
              {role === undefined ? '' : `, ${role}`}
            </AnchorLink>,
          ],
          ['Why', reason ?? '–'],
          ['On what', <TargetLink key="target" record={record} />],
          [
            'History',
            <AnchorLink key="history" to="/audit" search={historyOf(record)} size="sm">
              All records of this {target.kind.replaceAll('_', ' ')}
            </AnchorLink>,
          ],
          ['From', address ?? '–'],
          ['Request', request_id ?? '–'],
          ['In the chain', `${client_id === null ? 'of no partner' : `of partner ${client_id}`}, number ${sequence}`],
          ['Hash', <span key="hash">{hash}</span>],
        ]}
      />
      <BeforeAndAfter before={before} after={after} />
    </Page>
  );
}

const historyOf = ({ client_id, target: { kind, id } }: AuditRecord) => ({
  partner: client_id === null ? 'none' : String(client_id),
  kind,
  ...(id !== '' && { id }),
});
