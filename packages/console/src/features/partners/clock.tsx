import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/session.ts';
import { Details } from '../../ui/details.tsx';
import { exactText } from '../../ui/time.tsx';
import type { PartnerShown } from './settings.tsx';

function aheadText(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const [days, rest] = [Math.floor(hours / 24), hours % 24];
  if (hours === 0) return 'by less than an hour';
  return `by ${days > 0 ? `${days} d ` : ''}${rest} h`;
}

/** The clock of a sandbox; it is set on a screen of its own. */
export function ClockDetails({ partner: { client_id, clock } }: { partner: PartnerShown }) {
  const may = useMay();
  if (clock === null) return null;
  return (
    <Details
      title="Sandbox clock"
      rows={[
        ['It is', exactText(clock.now)],
        ['Ahead of the world', clock.offset_s === 0 ? 'no' : aheadText(clock.offset_s)],
      ]}
    >
      {may('SandboxClockSet') && (
        <Anchor component={Link} to={`/p/${client_id}/clock`} size="sm">
          Set it forward
        </Anchor>
      )}
    </Details>
  );
}
