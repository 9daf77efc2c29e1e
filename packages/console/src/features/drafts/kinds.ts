import type { DraftKind } from '@freebets/contract';

export const kindNames: Record<DraftKind, string> = {
  campaign: 'New campaign',
  limits: 'Higher limits',
  job: 'Start of a list',
};

/** Before an amount: of higher limits it is what they add. */
export const atMost = (kind: DraftKind): string => (kind === 'limits' ? 'more than now, at most' : 'at most');
