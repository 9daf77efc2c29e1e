import type { CampaignGetResponse } from '@freebets/contract';
import { Alert, NumberInput, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type AnswerOf, call } from '../../api/call.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { count, MoneyList } from '../../ui/money.tsx';
import { areRaised, costOfLimits, type Limit, type Limits } from './cost.ts';
import { useStakeReturned } from './stake-returned.ts';

interface LimitsDialogProps {
  onClose(): void;
  clientId: number;
  campaign: CampaignGetResponse;
}

const limitOf = (typed: number | string): Limit => (typed === '' ? null : Number(typed));

/** Lower limits are in force at once; higher ones can cost more, and are a draft. */
export function LimitsDialog({ onClose, clientId, campaign }: LimitsDialogProps) {
  const { config, counts, campaign_id } = campaign;
  const [inAll, setInAll] = useState<number | string>(config.bonus_limit ?? '');
  const [perPlayer, setPerPlayer] = useState<number | string>(config.bonus_limit_per_user ?? '');
  const queries = useQueryClient();
  const propose = useProposal(clientId);
  const limits = { campaign_id, bonus_limit: limitOf(inAll), bonus_limit_per_user: limitOf(perPlayer) };
  const isHigher = areRaised(config, limits);
  const isSame =
    limits.bonus_limit === config.bonus_limit && limits.bonus_limit_per_user === config.bonus_limit_per_user;
  const given = counts.issued - counts.cancelled;
  const carryOut = async (reason: string) => {
    if (isHigher) return propose(limits, reason);
    await call('CampaignLimits', { client_id: clientId, ...limits, reason });
    await queries.invalidateQueries({ queryKey: ['CampaignGet'] });
  };
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Change limits"
      action={isHigher ? 'Submit higher limits' : 'Set lower limits'}
      isBlocked={isSame}
      carryOut={carryOut}
    >
      <NumberInput
        label="Free bets in all"
        description={`${count(given)} are given. Empty means no limit.`}
        {...{ value: inAll, onChange: setInAll, min: 1, max: 2_147_483_647 }}
        allowDecimal={false}
        thousandSeparator=" "
      />
      <NumberInput
        label="Free bets for one player"
        description="Empty means no limit."
        {...{ value: perPlayer, onChange: setPerPlayer, min: 1, max: 2_147_483_647 }}
        allowDecimal={false}
        thousandSeparator=" "
      />
      <Alert variant="light" color={isHigher ? 'orange' : undefined} role="status">
        {isSame && <Text size="sm">These are the limits in force.</Text>}
        {!isSame && isHigher && <HigherCost clientId={clientId} campaign={campaign} limits={limits} />}
        {!isSame && !isHigher && <Text size="sm">{lowerText(limits.bonus_limit, given)}</Text>}
      </Alert>
    </ChangeDialog>
  );
}

function HigherCost({ clientId, campaign, limits }: Omit<LimitsDialogProps, 'onClose'> & { limits: Limits }) {
  const stakeReturned = useStakeReturned(clientId);
  return (
    <Text size="sm" component="div">
      They can cost at most so much more:
      <Text fw={600} component="div">
        <MoneyList amounts={costOfLimits(campaign, limits, stakeReturned)} most={4} />
      </Text>
      Within your limit they hold at once, else a colleague approves them.
    </Text>
  );
}

const lowerText = (limit: Limit, given: number): string =>
  limit !== null && limit <= given
    ? 'The campaign has given that many already: it gives no more from this moment on. What is given stays valid.'
    : 'They hold from this moment on. What is given stays valid.';

/** Saves a draft of the limits, submits it, and shows what became of it. Tried again, it is the same draft. */
function useProposal(clientId: number) {
  const navigate = useNavigate();
  const saved = useRef<{ text: string; draft: AnswerOf<'DraftSave'> } | null>(null);
  return async (content: Record<string, unknown>, reason: string) => {
    const text = JSON.stringify(content);
    if (saved.current?.text !== text) {
      saved.current = { text, draft: await call('DraftSave', { client_id: clientId, kind: 'limits', content }) };
    }
    const { draft_id, revision } = saved.current.draft;
    await call('DraftSubmit', { client_id: clientId, draft_id, revision, reason });
    await navigate({ to: `/p/${clientId}/drafts/${draft_id}` });
  };
}
