import type { DraftKind } from '@freebets/contract';

export const kindNames: Record<DraftKind, string> = {
  campaign: 'New campaign',
  limits: 'Higher limits',
  job: 'Start of a list',
};
