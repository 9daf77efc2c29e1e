import { Button, Group, Slider, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { asking } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/details.tsx';
import { DialogButton } from '../../ui/dialog-button.tsx';
import { exactText } from '../../ui/time.tsx';
import { WhatHappens } from '../../ui/what-happens.tsx';

// The clock of a sandbox can be set forward, so that what expires can be seen to expire.

interface ClockProps {
  clientId: number;
  name: string;
  clock: NonNullable<AnswerOf<'PartnerGet'>['clock']>;
}

export function ClockDetails(props: ClockProps) {
  const may = useMay();
  const { now, offset_s } = props.clock;
  return (
    <Details
      title="Sandbox clock"
      rows={[
        ['It is', exactText(now)],
        ['Ahead of the world', lengthText(Math.round(offset_s / 3600))],
      ]}
      actions={
        may('SandboxClockSet') && (
          <DialogButton label="Set forward" dialog={(close) => <ClockDialog {...props} onClose={close} />} />
        )
      }
    />
  );
}

const hoursOf = { '1 hour': 1, '1 day': 24, '1 week': 168, '30 days': 720 };
const farthest = 90 * 24;

function lengthText(hours: number): string {
  const [days, rest] = [Math.floor(hours / 24), hours % 24];
  const parts = [days > 0 && `${days} ${days === 1 ? 'day' : 'days'}`, rest > 0 && `${rest} h`].filter(Boolean);
  return parts.join(' ') || 'less than an hour';
}

function ClockDialog({ clientId, name, clock, onClose }: ClockProps & { onClose(): void }) {
  const [hours, setHours] = useState(24);
  const change = useChange('sandbox_clock');
  const to = new Date(Date.parse(clock.now) + hours * 3_600_000).toISOString();
  const onTheWay = useOnTheWay(clientId, clock.now, to);
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Set the clock of ${name} forward`}
      action={`Set forward by ${lengthText(hours)}`}
      isDangerous
      carryOut={(reason) => change('SandboxClockSet', { client_id: clientId, now: to, reason })}
    >
      <div>
        <Text size="sm" fw={500}>
          Forward by {lengthText(hours)}
        </Text>
        <Slider
          thumbLabel="Hours forward"
          min={1}
          max={farthest}
          value={hours}
          onChange={setHours}
          label={lengthText(hours)}
        />
      </div>
      <Group gap="xs">
        {Object.entries(hoursOf).map(([label, value]) => (
          <Button key={label} size="compact-xs" variant="default" onClick={() => setHours(value)}>
            {label}
          </Button>
        ))}
      </Group>
      <WhatHappens sentences={[`For ${name} it is ${exactText(to)}. A clock is never set back.`, ...onTheWay]} />
    </ChangeDialog>
  );
}

const atATime = 200;

/** What begins, ends and expires until then, as far as one page of each tells. */
function useOnTheWay(client_id: number, from: string, to: string): string[] {
  const campaigns = useQuery(asking('CampaignList', { client_id, limit: atATime })).data;
  const freeBets = useQuery(asking('FreeBetList', { client_id, status: 'active', limit: atATime })).data;
  const isBetween = (time: string) => time > from && time <= to;
  const say = (found: number, isMore: boolean, what: string) => `${isMore ? 'At least ' : ''}${found} ${what}.`;
  return [
    ...(campaigns
      ? [
          say(
            campaigns.campaigns.filter(({ valid_until }) => isBetween(valid_until)).length,
            campaigns.next_cursor !== null,
            'campaigns reach their end',
          ),
        ]
      : []),
    ...(freeBets
      ? [
          say(
            freeBets.free_bets.filter(({ expires_at }) => isBetween(expires_at)).length,
            freeBets.next_cursor !== null,
            'free bets that can be used expire',
          ),
        ]
      : []),
  ];
}
