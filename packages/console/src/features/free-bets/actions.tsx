import type { FreeBetBody } from '@freebets/contract';
import { Anchor, Button, Group, Loader, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useChange } from '../../api/change.ts';
import { useDryRun } from '../../api/queries.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { Money, moneyText } from '../../ui/figures.tsx';
import { useGames } from '../../ui/games.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';

/** Whether there is anything to cancel: what was used or is over stays as it is. */
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
      title="Cancel this free bet"
      action="Cancel the free bet"
      keep="Keep it"
      isDangerous
      isBlocked={tried.data === undefined || tried.error !== null}
      carryOut={(reason) => change('Cancel', { ...request, reason })}
    >
      {tried.isPending && <Loader size="sm" aria-label="Trying it" />}
      {tried.error && <RefusalNote error={tried.error} />}
      {tried.data && (
        <Text size="sm" component="div">
          {freeBet.player_id} loses {freeBet.remaining} {freeBet.remaining === 1 ? 'bet' : 'bets'} of{' '}
          <Money amount={freeBet.bet_amount} currency={freeBet.currency} />
          {freeBet.campaign_id === null ? ', given directly' : `, from the campaign ${freeBet.campaign_id}`}. This
          cannot be undone.
        </Text>
      )}
    </ChangeDialog>
  );
}

const results = ['won', 'lost', 'rolled_back'] as const;
const resultWords = { won: 'Won', lost: 'Lost', rolled_back: 'Rolled back' };
const coefficientForm = /^(?!0+(\.|$))\d{1,6}(\.\d{1,4})?$/;

/** In a sandbox: one round, as the provider of the game would play it. */
export function PlayRound({ clientId, freeBet }: { clientId: number; freeBet: FreeBetBody }) {
  const [isOpen, dialog] = useDisclosure(false);
  const isPlayable = ['active', 'in_use'].includes(freeBet.status) && freeBet.remaining > 0;
  return (
    <Stack gap="xs" component="section" aria-label="Sandbox">
      <Title order={2}>Sandbox</Title>
      <Group p="md" className="panel" justify="space-between">
        <Text size="sm">
          {isPlayable ? 'Play a round with this free bet, without a game provider.' : 'No round can be played with it.'}
        </Text>
        <Group gap="sm">
          <Anchor component={Link} size="sm" to={`/p/${clientId}/clock`}>
            Set the clock forward
          </Anchor>
          <Button size="xs" onClick={dialog.open} disabled={!isPlayable}>
            Play a round…
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
        result === 'won' && !coefficientForm.test(typed) ? 'A number of at least 1, such as 1.50' : null,
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
      title="Play a round"
      action="Play the round"
      isBlocked={!form.isValid()}
      carryOut={(reason) => change('SandboxRound', { ...round, ...outcome, reason })}
    >
      <Text size="sm">
        One bet of {moneyText(freeBet.bet_amount, freeBet.currency)} is placed for {freeBet.player_id}, and settled.
      </Text>
      <Select
        label="Game"
        data={freeBet.games.map((value) => ({ value, label: titleOf(value) }))}
        {...form.getInputProps('game_id')}
        searchable
        limit={50}
        allowDeselect={false}
      />
      <Select
        label="Result"
        data={results.map((value) => ({ value, label: resultWords[value] }))}
        {...form.getInputProps('result')}
        allowDeselect={false}
      />
      {isWon && <TextInput label="Coefficient" {...form.getInputProps('coefficient')} inputMode="decimal" />}
    </ChangeDialog>
  );
}
