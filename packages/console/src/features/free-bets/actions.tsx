import type { FreeBetBody } from '@freebets/contract';
import { Anchor, Button, Group, Loader, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useChange } from '../../api/change.ts';
import { useDryRun } from '../../api/queries.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Money, moneyText } from '../../ui/figures.tsx';
import { useGames } from '../../ui/games.tsx';
import { statusOptions } from '../../ui/status.tsx';

/** Only a free bet without any placed bet can be cancelled. */
export const isCancellable = ({ status }: FreeBetBody): boolean => status === 'issued' || status === 'active';

export function CancelDialog(props: { clientId: number; freeBet: FreeBetBody; onClose(): void }) {
  const { clientId, freeBet, onClose } = props;
  const request = { client_id: clientId, issue_id: freeBet.issue_id };
  const tried = useDryRun('Cancel', request);
  const change = useChange('free_bet');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Cancel free bet"
      action="Cancel free bet"
      keep="Keep free bet"
      isDangerous
      isBlocked={tried.data === undefined || tried.error !== null}
      onConfirm={(reason) => change('Cancel', { ...request, reason })}
    >
      {tried.isPending && <Loader size="sm" aria-label="Checking" />}
      {tried.error && <ErrorNote error={tried.error} />}
      {tried.data && (
        <Text size="sm" component="div">
          {freeBet.player_id} loses {freeBet.remaining} {freeBet.remaining === 1 ? 'bet' : 'bets'} of{' '}
          <Money amount={freeBet.bet_amount} currency={freeBet.currency} />
          {freeBet.campaign_id === null ? ', issued without a campaign' : ` from the campaign ${freeBet.campaign_id}`}.
          This cannot be undone.
        </Text>
      )}
    </ChangeDialog>
  );
}

const results = ['won', 'lost', 'rolled_back'] as const;
const coefficientForm = /^(?!0+(\.|$))\d{1,6}(\.\d{1,4})?$/;

/** Sandbox only: plays one round in place of the game provider. */
export function PlayRound({ clientId, freeBet }: { clientId: number; freeBet: FreeBetBody }) {
  const [isOpen, dialog] = useDisclosure(false);
  const isPlayable = ['active', 'in_use'].includes(freeBet.status) && freeBet.remaining > 0;
  return (
    <Stack gap="xs" component="section" aria-label="Sandbox">
      <Title order={2}>Sandbox</Title>
      <Group p="md" className="panel" justify="space-between">
        <Text size="sm">
          {isPlayable
            ? 'Play a test round with this free bet, without a game provider.'
            : 'This free bet cannot be used now.'}
        </Text>
        <Group gap="sm">
          <Anchor component={Link} size="sm" to={`/p/${clientId}/clock`}>
            Move the clock forward
          </Anchor>
          <Button size="xs" onClick={dialog.open} disabled={!isPlayable}>
            Play test round…
          </Button>
        </Group>
      </Group>
      {isOpen && <RoundDialog clientId={clientId} freeBet={freeBet} onClose={dialog.close} />}
    </Stack>
  );
}

function RoundDialog(props: { clientId: number; freeBet: FreeBetBody; onClose(): void }) {
  const { clientId, freeBet, onClose } = props;
  const { titleOf } = useGames(freeBet.games);
  const form = useForm({
    initialValues: {
      game_id: freeBet.games[0] ?? '',
      result: 'won' as (typeof results)[number],
      coefficient: freeBet.config.max_coefficient ?? '2.00',
    },
    validate: {
      coefficient: (typed, { result }) =>
        result === 'won' && !coefficientForm.test(typed) ? 'A positive number, such as 1.50' : null,
    },
    validateInputOnChange: true,
  });
  const { game_id, result, coefficient } = form.values;
  const change = useChange('free_bet');
  const isWon = result === 'won';
  const round = { client_id: clientId, issue_id: freeBet.issue_id, game_id };
  const outcome = result === 'won' ? { result, coefficient } : { result };
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Play test round"
      action="Play test round"
      isBlocked={!form.isValid()}
      onConfirm={(reason) => change('SandboxRound', { ...round, ...outcome, reason })}
    >
      <Text size="sm">
        One bet of {moneyText(freeBet.bet_amount, freeBet.currency)} is placed for {freeBet.player_id} and settled.
      </Text>
      <Select
        label="Game"
        data={freeBet.games.map((value) => ({ value, label: titleOf(value) }))}
        {...form.getInputProps('game_id')}
        searchable
        limit={50}
        allowDeselect={false}
      />
      <Select label="Result" data={statusOptions(results)} {...form.getInputProps('result')} allowDeselect={false} />
      {isWon && <TextInput label="Odds" {...form.getInputProps('coefficient')} inputMode="decimal" />}
    </ChangeDialog>
  );
}
