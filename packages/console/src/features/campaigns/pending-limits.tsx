import type { DraftBody } from '@freebets/contract';
import { Alert, Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { asking } from '../../api/queries.ts';
import { Time } from '../../ui/time.tsx';

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

export const DraftLink = ({ draft: { client_id, draft_id } }: { draft: DraftBody }) => (
  <Anchor inherit c="inherit" underline="always" component={Link} to={`/p/${client_id}/drafts/${draft_id}`}>
    Open the draft
  </Anchor>
);
