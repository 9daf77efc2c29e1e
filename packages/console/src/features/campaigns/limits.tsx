import type { CampaignGetResponse, DraftBody } from '@freebets/contract';
import { Alert, Anchor, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { asking } from '../../api/queries.ts';
import { newId } from '../../ui/address.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { WholeNumberInput } from '../../ui/fields.tsx';
import { count, MoneyList } from '../../ui/figures.tsx';
import { Time } from '../../ui/time.tsx';
import { areRaised, costOfLimits, type Limit, type Limits } from './cost.ts';

/** A field for a limit: how many free bets, or nothing. */
export const limitInput = { min: 1, max: 2_147_483_647, thousandSeparator: ' ' } as const;

interface LimitsDialogProps {
  onClose(): void;
  clientId: number;
  campaign: CampaignGetResponse;
  /** Where higher limits that were drafted before are mended. */
  draft?: { draft_id: string; revision: number; content: Limits };
}

const areSame = (one: Limits, other: Limits): boolean =>
  one.bonus_limit === other.bonus_limit && one.bonus_limit_per_user === other.bonus_limit_per_user;

const limitOf = (typed: number | string): Limit => (typed === '' ? null : Number(typed));

const isNone = (limit: Limit): boolean => limit !== null && (limit < limitInput.min || limit > limitInput.max);

/** Lower limits are in force at once; higher ones can cost more, and are a draft. */
export function LimitsDialog({ onClose, clientId, campaign, draft }: LimitsDialogProps) {
  const { config, counts, campaign_id } = campaign;
  const [inForce] = useState(config);
  const first = draft?.content ?? config;
  const form = useForm<{ inAll: number | string; perPlayer: number | string }>({
    initialValues: { inAll: first.bonus_limit ?? '', perPlayer: first.bonus_limit_per_user ?? '' },
  });
  const { inAll, perPlayer } = form.values;
  const change = useChange('campaign');
  const propose = useProposal(clientId, draft);
  const limits = { campaign_id, bonus_limit: limitOf(inAll), bonus_limit_per_user: limitOf(perPlayer) };
  const isHigher = areRaised(config, limits);
  const pending = usePendingLimits(clientId, campaign_id);
  // Lower limits apply at once; only one draft of higher ones can be pending.
  const isTaken = isHigher && pending !== undefined && pending.draft_id !== draft?.draft_id;
  const isSame = areSame(limits, config);
  const given = counts.issued - counts.cancelled;
  const carryOut = (reason: string): Promise<unknown> =>
    isHigher ? propose(limits, reason) : change('CampaignLimits', { client_id: clientId, ...limits, reason });
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Change limits"
      action={isHigher ? 'Submit higher limits' : 'Set lower limits'}
      isBlocked={isSame || isTaken || [limits.bonus_limit, limits.bonus_limit_per_user].some(isNone)}
      isOutdated={!areSame(inForce, config)}
      carryOut={carryOut}
    >
      <WholeNumberInput
        label="Free bets in all"
        description={`${count(given)} are given. Empty means no limit.`}
        {...limitInput}
        {...form.getInputProps('inAll')}
      />
      <WholeNumberInput
        label="Free bets for one player"
        description="Empty means no limit."
        {...limitInput}
        {...form.getInputProps('perPlayer')}
      />
      <Alert variant="light" color={isHigher ? 'orange' : undefined} role="status">
        {isSame && <Text size="sm">These are the limits in force.</Text>}
        {!isSame && isHigher && !isTaken && <HigherCost campaign={campaign} limits={limits} />}
        {!isSame && !isHigher && <Text size="sm">{lowerText(limits.bonus_limit, given)}</Text>}
        {isTaken && (
          <Text size="sm">
            A change of the limits is waiting for approval. You can submit higher limits once it is decided.{' '}
            <DraftLink draft={pending} />
          </Text>
        )}
      </Alert>
    </ChangeDialog>
  );
}

function HigherCost({ campaign, limits }: Pick<LimitsDialogProps, 'campaign'> & { limits: Limits }) {
  return (
    <Text size="sm" component="div">
      They can cost at most so much more:
      <Text fw={600} component="div">
        <MoneyList amounts={costOfLimits(campaign, limits)} most={4} />
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
function useProposal(clientId: number, draft: LimitsDialogProps['draft']) {
  const navigate = useNavigate();
  const change = useChange('draft');
  const [{ draft_id, ...replaced }, setSaved] = useState<{ draft_id: string; revision?: number }>(() =>
    draft ? { draft_id: draft.draft_id, revision: draft.revision } : { draft_id: newId() },
  );
  return async (content: Record<string, unknown>, reason: string) => {
    const named = { client_id: clientId, draft_id };
    const { revision } = await change('DraftSave', { ...named, ...replaced, kind: 'limits', content });
    setSaved({ draft_id, revision });
    await change('DraftSubmit', { ...named, revision, reason });
    await navigate({ to: `/p/${clientId}/drafts/${draft_id}` });
  };
}

/** The pending draft that changes the limits of a campaign; undefined if there is none, or while it loads. */
export function usePendingLimits(clientId: number, campaignId: string): DraftBody | undefined {
  const { data } = useQuery({
    ...asking('DraftList', {
      client_id: clientId,
      kind: 'limits',
      target_id: campaignId,
      state: 'submitted',
      limit: 1,
    }),
    placeholderData: undefined,
  });
  return data?.drafts[0];
}

export const PendingLimits = ({ draft }: { draft: DraftBody }) => (
  <Alert variant="light" color="orange" title="A change of the limits is waiting for approval" role="status">
    {draft.author.name} submitted it <Time at={draft.submitted_at} />. <DraftLink draft={draft} />
  </Alert>
);

const DraftLink = ({ draft: { client_id, draft_id } }: { draft: DraftBody }) => (
  <Anchor inherit c="inherit" underline="always" component={Link} to={`/p/${client_id}/drafts/${draft_id}`}>
    Open the draft
  </Anchor>
);
