import type { ApprovalReason, DraftKind } from '@freebets/contract';
import { List } from '@mantine/core';
import { type AnswerOf, CallError } from '../../api/call.ts';
import { moneyText } from '../../ui/figures.tsx';

export const kindNames: Record<DraftKind, string> = {
  campaign: 'New campaign',
  limits: 'Higher limits',
  job: 'Start of a list',
};

/** Before an amount: of higher limits it is what they add. */
export const atMost = (kind: DraftKind): string => (kind === 'limits' ? 'more than now, at most' : 'at most');

// What stands in the way of a draft, in the words of its form.

type Problems = AnswerOf<'DraftSave'>['problems'];

export const steps = {
  games: 'Games',
  amounts: 'What players get',
  time: 'When',
  limits: 'Limits',
  submit: 'Check and submit',
};
export type Step = keyof typeof steps;
export const stepNames = Object.keys(steps) as Step[];

const fields: Record<string, { label: string; step: Step }> = {
  name: { label: 'Name', step: 'games' },
  games: { label: 'Games', step: 'games' },
  quantity: { label: 'Bets of a free bet', step: 'amounts' },
  bet_amounts: { label: 'Amount of a bet', step: 'amounts' },
  valid_from: { label: 'Start', step: 'time' },
  valid_until: { label: 'End', step: 'time' },
  duration_min: { label: 'How long a free bet lasts', step: 'time' },
  bonus_limit: { label: 'Free bets in all', step: 'limits' },
  bonus_limit_per_user: { label: 'Free bets for one player', step: 'limits' },
  min_coefficient: { label: 'Lowest coefficient', step: 'limits' },
  max_coefficient: { label: 'Highest coefficient', step: 'limits' },
};

/** Of "bet_amounts[0].amount" the field is "bet_amounts", of "config.max_coefficient" it is "max_coefficient". */
const rootOf = (field: string): string => field.replace(/^config\./, '').split(/[.[]/)[0] ?? '';

export const labelOf = (field: string): string => fields[rootOf(field)]?.label ?? field;

/** The names of other fields within a reason. */
const inWords = (reason: string): string =>
  reason.replaceAll(/[a-z]+(_[a-z]+)+/g, (word) => (fields[word] ? `the ${fields[word].label.toLowerCase()}` : word));

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
          text: inWords(reason),
        })),
  );

/** Where a single free bet has its own words. */
const ownLabels: Record<string, string> = {
  player_id: 'Player',
  currency: 'Currency',
  bet_amount: 'Amount of a bet',
  valid_from: 'Can be used from',
  valid_until: 'Can be used until',
  duration_min: 'A free bet lasts',
  max_exposure: 'The most it can win',
};

/** Why a free bet cannot be given, to somebody who may have no drafts. */
export function plainRefusal(error: Error): Error {
  if (!(error instanceof CallError)) return error;
  const { status, error: name, requestId } = error;
  const message =
    name === 'approval_needed'
      ? 'It is more than you may give without approval. Make it less, or have a manager give it as a list of one player with its own terms, which a colleague approves.'
      : error.message;
  const details = error.details.map(({ field, reason }) => ({
    field: ownLabels[rootOf(field)] ?? labelOf(field),
    reason: inWords(reason),
  }));
  return new CallError(status, { error: name, message, details, ...(requestId && { request_id: requestId }) });
}

/** Why a colleague must approve it. */
export function approvalText({ reason, currency, amount, limit, used }: ApprovalReason): string {
  if (reason === 'no_bound') {
    return `Nothing bounds what it could win in ${currency}: it has no limit of free bets, or no highest coefficient.`;
  }
  if (reason === 'no_limit') return `Nothing in ${currency} may be given without approval.`;
  const before =
    used === null || used === '0.00' ? '' : ` together with the ${moneyText(used, currency)} of the last 24 hours`;
  return `${moneyText(amount ?? '0.00', currency)}${before} is above the ${moneyText(limit ?? '0.00', currency)} that one person may give.`;
}

/** What is wrong or missing; nothing where all is well. */
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
