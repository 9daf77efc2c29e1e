import { Badge, Switch, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { Details } from '../../ui/details.tsx';
import { differenceOf, type FieldChange } from './difference.ts';

const isChanged = ({ before, after }: FieldChange): boolean => before !== after;

/** Side by side; what changed is marked. */
export function BeforeAndAfter({ before, after }: { before: unknown; after: unknown }) {
  const [isAll, setIsAll] = useState(false);
  const fields = differenceOf(before, after);
  const same = fields.filter((field) => !isChanged(field)).length;
  const shown = isAll ? fields : fields.filter(isChanged);
  return (
    <Details
      title="Before and after"
      rows={[]}
      actions={
        same > 0 && (
          <Switch
            label={`Also the ${same} that stayed`}
            checked={isAll}
            onChange={({ currentTarget }) => setIsAll(currentTarget.checked)}
          />
        )
      }
    >
      {fields.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing was changed by it.
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
  return after === undefined ? 'gone' : 'changed';
}
