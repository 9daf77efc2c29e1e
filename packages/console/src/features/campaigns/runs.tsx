import type { CampaignGetResponse } from '@freebets/contract';
import type { Side } from '../../ui/relative-time.ts';
import { Time } from '../../ui/time.tsx';

type Running = Pick<CampaignGetResponse, 'status' | 'stopped_at' | 'paused_at' | 'valid_from' | 'valid_until'>;

function momentOf({ status, stopped_at, paused_at, valid_from, valid_until }: Running): [string, string | null, Side] {
  if (status === 'stopped') return ['stopped', stopped_at, 'past'];
  if (status === 'paused') return ['paused', paused_at, 'past'];
  if (status === 'scheduled') return ['starts', valid_from, 'ahead'];
  return status === 'ended' ? ['ended', valid_until, 'past'] : ['ends', valid_until, 'ahead'];
}

/** The time that matters most to one who looks at it. */
export function Runs({ campaign }: { campaign: Running }) {
  const [what, at, side] = momentOf(campaign);
  return (
    <span className="figure">
      {what} <Time at={at} is={side} />
    </span>
  );
}
