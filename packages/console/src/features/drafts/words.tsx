import type { ApprovalReason, DraftKind } from '@freebets/contract';
import { List } from '@mantine/core';
import { CallError, type CallResponse } from '../../api/call.ts';
import { moneyText } from '../../ui/figures.tsx';

export const kindNames: Record<DraftKind, string> = {
  campaign: 'New campaign',
  limits: 'Higher caps',
  job: 'Bulk award',
};

/** Higher caps only count what they add. */
export const liabilityText = (kind: DraftKind): string =>
  kind === 'limits' ? 'Additional maximum liability' : 'Maximum liability';

// The problems of a draft, with the labels of its form.

type Problems = CallResponse<'DraftSave'>['problems'];

export const steps = {
  games: 'Games',
  amounts: 'Bets and stakes',
  time: 'Dates',
  limits: 'Caps and odds',
  submit: 'Review and submit',
};
export type Step = keyof typeof steps;
export const stepNames = Object.keys(steps) as Step[];

const fields: Record<string, { label: string; step: Step }> = {
  name: { label: 'Name', step: 'games' },
  games: { label: 'Games', step: 'games' },
  quantity: { label: 'Bets per free bet', step: 'amounts' },
  bet_amounts: { label: 'Stake per bet', step: 'amounts' },
  valid_from: { label: 'Start', step: 'time' },
  valid_until: { label: 'End', step: 'time' },
  duration_min: { label: 'Free bet validity', step: 'time' },
  bonus_limit: { label: 'Campaign cap', step: 'limits' },
  bonus_limit_per_user: { label: 'Per-player cap', step: 'limits' },
  min_coefficient: { label: 'Minimum odds', step: 'limits' },
  max_coefficient: { label: 'Maximum odds', step: 'limits' },
};

/** The field of a path: "bet_amounts" for "bet_amounts[0].amount", "max_coefficient" for "config.max_coefficient". */
const rootOf = (field: string): string => field.replace(/^config\./, '').split(/[.[]/)[0] ?? '';

export const labelOf = (field: string): string => fields[rootOf(field)]?.label ?? field;

/** Replaces field names within a reason by their labels. */
const withLabels = (reason: string): string =>
  reason
    .replace(/^is missing$/, 'not set yet')
    .replaceAll(/[a-z]+(_[a-z]+)+/g, (word) => (fields[word] ? `the ${fields[word].label.toLowerCase()}` : word));

export interface PlainProblem {
  step: Step;
  label: string;
  text: string;
}

export const plainProblems = (problems: Problems): PlainProblem[] =>
  problems.flatMap(({ message, details = [] }) =>
    details.length === 0
      ? [{ step: 'submit' as const, label: '', text: message }]
      : details.map(({ field, reason }) => ({
          step: fields[rootOf(field)]?.step ?? 'submit',
          label: labelOf(field),
          text: withLabels(reason),
        })),
  );

/** Labels that differ for a free bet without a campaign. */
const ownLabels: Record<string, string> = {
  player_id: 'Player',
  currency: 'Currency',
  bet_amount: 'Stake per bet',
  valid_from: 'Usable from',
  valid_until: 'Usable until',
  duration_min: 'Free bet valid for',
  max_exposure: 'Maximum winnings',
};

/** Why a free bet cannot be issued, for users who may not be able to create drafts. */
export function plainError(error: Error): Error {
  if (!(error instanceof CallError)) return error;
  const { status, error: name, requestId } = error;
  const message =
    name === 'approval_needed'
      ? 'This is more than you can issue without approval. Reduce it, or ask a manager to issue it as a bulk award for one player with its own terms, which a colleague approves.'
      : error.message;
  const details = error.details.map(({ field, reason }) => ({
    field: ownLabels[rootOf(field)] ?? labelOf(field),
    reason: withLabels(reason),
  }));
  return new CallError(status, { error: name, message, details, ...(requestId && { request_id: requestId }) });
}

/** Why an approval is needed. */
export function approvalText({ reason, currency, amount, limit, used }: ApprovalReason): string {
  if (reason === 'no_bound') {
    return `The liability in ${currency} is unlimited: the campaign cap or the maximum odds are missing.`;
  }
  if (reason === 'no_limit') return `Everything in ${currency} needs approval.`;
  const before =
    used === null || used === '0.00' ? '' : ` together with the ${moneyText(used, currency)} of the last 24 hours`;
  return `${moneyText(amount ?? '0.00', currency)}${before} exceeds the ${moneyText(limit ?? '0.00', currency)} that one person can issue without approval.`;
}

export function ProblemList({ problems }: { problems: PlainProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <List size="sm" aria-label="Still to do">
      {problems.map(({ label, text }) => (
        <List.Item key={`${label} ${text}`}>
          {label && <b>{label}</b>} {text}
        </List.Item>
      ))}
    </List>
  );
}
