import type { CampaignGetResponse, DraftBody } from '@freebets/contract';
import { Alert, Anchor, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { callQuery } from '../../api/queries.ts';
import { newId } from '../../ui/address.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { WholeNumberInput } from '../../ui/fields.tsx';
import { count, MoneyList } from '../../ui/figures.tsx';
import { Time } from '../../ui/time.tsx';
import { areRaised, costOfLimits, type Limit, type Limits } from './cost.ts';

/** The properties of a field for a cap: a number of free bets, or empty. */
export const limitInput = { min: 1, max: 2_147_483_647, thousandSeparator: ',' } as const;

interface LimitsDialogProps {
  onClose(): void;
  clientId: number;
  campaign: CampaignGetResponse;
  /** The draft to edit, if higher caps were drafted before. */
  draft?: { draft_id: string; revision: number; content: Limits };
}

const areSame = (one: Limits, other: Limits): boolean =>
  one.bonus_limit === other.bonus_limit && one.bonus_limit_per_user === other.bonus_limit_per_user;

const limitOf = (typed: number | string): Limit => (typed === '' ? null : Number(typed));

const isNone = (limit: Limit): boolean => limit !== null && (limit < limitInput.min || limit > limitInput.max);

/** Lower caps apply at once. Higher caps can cost more and are saved as a draft. */
export function LimitsDialog({ onClose, clientId, campaign, draft }: LimitsDialogProps) {
  const { config, counts, campaign_id } = campaign;
  const [opened] = useState(config);
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
  // Only one draft of higher caps can be pending.
  const isTaken = isHigher && pending !== undefined && pending.draft_id !== draft?.draft_id;
  const isSame = areSame(limits, config);
  const given = counts.issued - counts.cancelled;
  const onConfirm = (reason: string): Promise<unknown> =>
    isHigher ? propose(limits, reason) : change('CampaignLimits', { client_id: clientId, ...limits, reason });
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Change caps"
      action={isHigher ? 'Submit higher caps' : 'Lower caps'}
      isBlocked={isSame || isTaken || [limits.bonus_limit, limits.bonus_limit_per_user].some(isNone)}
      isOutdated={!areSame(opened, config)}
      onConfirm={onConfirm}
    >
      <WholeNumberInput
        label="Campaign cap"
        description={`Free bets in total; ${count(given)} are issued. Empty: no cap.`}
        {...limitInput}
        {...form.getInputProps('inAll')}
      />
      <WholeNumberInput
        label="Per-player cap"
        description="Free bets per player. Empty: no cap."
        {...limitInput}
        {...form.getInputProps('perPlayer')}
      />
      <Alert variant="light" color={isHigher ? 'orange' : undefined} role="status">
        {isSame && <Text size="sm">These are the current caps.</Text>}
        {!isSame && isHigher && !isTaken && <HigherCost campaign={campaign} limits={limits} />}
        {!isSame && !isHigher && <Text size="sm">{lowerText(limits.bonus_limit, given)}</Text>}
        {isTaken && (
          <Text size="sm">
            A change of the caps is waiting for approval. You can submit higher caps after the decision.{' '}
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
      Additional maximum liability:
      <Text fw={600} component="div">
        <MoneyList amounts={costOfLimits(campaign, limits)} most={4} />
      </Text>
      Within your limit the new caps apply at once. Above it, a colleague must approve them.
    </Text>
  );
}

const lowerText = (limit: Limit, given: number): string =>
  limit !== null && limit <= given
    ? 'The campaign has already issued that many: it issues no more from now on. Issued free bets stay valid.'
    : 'The new caps apply from now on. Issued free bets stay valid.';

/** Saves a draft of the caps, submits it and opens it. A retry uses the same draft. */
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

/** The pending draft that changes the caps of a campaign; undefined if there is none, or while it loads. */
export function usePendingLimits(clientId: number, campaignId: string): DraftBody | undefined {
  const { data } = useQuery({
    ...callQuery('DraftList', {
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
  <Alert variant="light" color="orange" title="A change of the caps is waiting for approval" role="status">
    {draft.author.name} submitted it <Time at={draft.submitted_at} />. <DraftLink draft={draft} />
  </Alert>
);

const DraftLink = ({ draft: { client_id, draft_id } }: { draft: DraftBody }) => (
  <Anchor inherit c="inherit" underline="always" component={Link} to={`/p/${client_id}/drafts/${draft_id}`}>
    Open draft
  </Anchor>
);
