import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type AnswerOf, call } from '../../api/call.ts';
import { count } from '../../ui/money.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { chainOf } from './filter.ts';

type Verified = AnswerOf<'AuditVerify'>;

/** Each record carries the hash of the one before: whether all of them are as they were written. */
export function ChainCheck({ partner }: { partner: string | undefined }) {
  const chain = chainOf(partner);
  const check = useMutation({
    mutationFn: () => call('AuditVerify', chain === undefined ? {} : { client_id: chain }),
  });
  return (
    <Stack gap={0}>
      <Group gap="sm">
        <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.mutate()}>
          Check the chain
        </Button>
        <Text size="sm" c="dimmed">
          Whether any record was changed, removed or added afterwards.
        </Text>
      </Group>
      <div role="status">{check.data && <Answer verified={check.data} />}</div>
      {check.error && <RefusalNote error={check.error} />}
    </Stack>
  );
}

const nameOf = (client_id: number | null): string => (client_id === null ? 'of no partner' : `of partner ${client_id}`);

function Answer({ verified: { is_whole, chains } }: { verified: Verified }) {
  const records = chains.reduce((sum, { length }) => sum + length, 0);
  const only = chains.length === 1 && chains[0];
  if (is_whole) {
    return (
      <Alert color="green" title="The chain is whole" variant="light" mt="sm">
        {count(records)} records {only ? nameOf(only.client_id) : `in ${count(chains.length)} chains`} are as they were
        written.
      </Alert>
    );
  }
  const broken = chains.filter(({ break_count }) => break_count > 0);
  return (
    <Alert color="red" title="The chain is broken" variant="light" mt="sm">
      {broken.map(({ client_id, break_count, breaks }) => (
        <div key={client_id}>
          <Text size="sm" fw={600}>
            The records {nameOf(client_id)}: {count(break_count)} {break_count === 1 ? 'break' : 'breaks'}
          </Text>
          <List size="sm">
            {breaks.map(({ sequence, through, message }) => (
              <List.Item key={sequence}>
                {sequence === through ? `Record ${sequence}` : `Records ${sequence} to ${through}`}: {message}
              </List.Item>
            ))}
          </List>
        </div>
      ))}
    </Alert>
  );
}
