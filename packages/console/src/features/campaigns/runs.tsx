import type { CampaignGetResponse } from '@freebets/contract';
import { Time } from '../../ui/time.tsx';

type Running = Pick<CampaignGetResponse, 'status' | 'stopped_at' | 'paused_at' | 'valid_from' | 'valid_until'>;

function momentOf({ status, stopped_at, paused_at, valid_from, valid_until }: Running): [string, string | null] {
  if (status === 'stopped') return ['stopped', stopped_at];
  if (status === 'paused') return ['paused', paused_at];
  if (status === 'scheduled') return ['starts', valid_from];
  return [status === 'ended' ? 'ended' : 'ends', valid_until];
}

/** The time that matters most to one who looks at it. */
export function Runs({ campaign }: { campaign: Running }) {
  const [what, at] = momentOf(campaign);
  return (
    <span className="figure">
      {what} <Time at={at} />
    </span>
  );
}
