import type { AuditRecord } from '@freebets/contract';
import { Anchor, Badge, Skeleton, Switch, Table, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { AnchorLink, Details, Empty, Page } from '../../ui/page.tsx';
import { exactText } from '../../ui/time.tsx';
import { chainOf } from './filters.tsx';
import { actionText, actorOf, actorText, kindText, TargetLink } from './words.tsx';

const route = getRouteApi('/inside/audit/$chain/$sequence');

/** Records are listed by time, so this searches those of one millisecond. */
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
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : data === null || !isMoment ? (
        <Empty title="Record not found">
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
            'By',
            <AnchorLink key="who" to="/audit" search={{ who: email ?? staff_id ?? kind }} size="sm">
              {actorText(record)}
              {role === undefined ? '' : `, ${role}`}
            </AnchorLink>,
          ],
          ['Reason', reason ?? '–'],
          ['Target', <TargetLink key="target" record={record} />],
          [
            'History',
            <AnchorLink key="history" to="/audit" search={historyOf(record)} size="sm">
              All records of this {kindText(target.kind)}
            </AnchorLink>,
          ],
          ['IP address', address ?? '–'],
          ['Request ID', request_id ?? '–'],
          [
            'Chain position',
            `${client_id === null ? 'without a partner' : `partner ${client_id}`}, record ${sequence}`,
          ],
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

const isChanged = ({ before, after }: FieldChange): boolean => before !== after;

/** Side by side; changed fields are marked. */
function BeforeAndAfter({ before, after }: { before: unknown; after: unknown }) {
  const [isAll, setIsAll] = useState(false);
  const fields = differenceOf(before, after);
  const unchanged = fields.filter((field) => !isChanged(field)).length;
  const shown = isAll ? fields : fields.filter(isChanged);
  return (
    <Details
      title="Before and after"
      rows={[]}
      actions={
        unchanged > 0 && (
          <Switch
            label={`Show ${unchanged} unchanged`}
            checked={isAll}
            onChange={({ currentTarget }) => setIsAll(currentTarget.checked)}
          />
        )
      }
    >
      {fields.length === 0 && (
        <Text size="sm" c="dimmed">
          This action changed no fields.
        </Text>
      )}
      {shown.length > 0 && <FieldTable fields={shown} />}
    </Details>
  );
}

const FieldTable = ({ fields }: { fields: FieldChange[] }) => (
  <Table.ScrollContainer minWidth={480} type="native">
    <Table aria-label="Before and after" layout="fixed" verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Field</Table.Th>
          <Table.Th>Before</Table.Th>
          <Table.Th>After</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map((field) => (
          <Table.Tr key={field.field} className={isChanged(field) ? 'changed' : undefined}>
            <Table.Td>
              {field.field}{' '}
              {isChanged(field) && (
                <Badge size="xs" variant="outline" color="gray" tt="none">
                  {markOf(field)}
                </Badge>
              )}
            </Table.Td>
            <Table.Td className="whole-word">{field.before ?? ''}</Table.Td>
            <Table.Td className="whole-word">{field.after ?? ''}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

function markOf({ before, after }: FieldChange): string {
  if (before === undefined) return 'new';
  return after === undefined ? 'removed' : 'changed';
}

export interface FieldChange {
  field: string;
  before: string | undefined;
  after: string | undefined;
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Each value with its path; a list of plain values counts as one value. */
function leavesOf(value: unknown, path: string): [string, string][] {
  if (!isTree(value)) return value === undefined ? [] : [[path, value === null ? '–' : String(value)]];
  if (Array.isArray(value) && !value.some(isTree)) return [[path, value.length === 0 ? 'none' : value.join(', ')]];
  return Object.entries(value).flatMap(([name, each]) => leavesOf(each, path === '' ? name : `${path}.${name}`));
}

/** Null means that the target did not exist before, or was removed. */
const fieldsOf = (state: unknown): Map<string, string> => new Map(state === null ? [] : leavesOf(state, ''));

function differenceOf(before: unknown, after: unknown): FieldChange[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].map((field) => ({
    field,
    before: was.get(field),
    after: is.get(field),
  }));
}
