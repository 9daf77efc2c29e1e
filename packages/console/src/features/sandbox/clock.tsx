import type { SandboxClockBody } from '@freebets/contract';
import { Alert, Button, Group, List, Skeleton, Slider, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useReadAgain } from '../../api/dry-run.ts';
import { asking } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { localText } from '../../ui/local-time.ts';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { exactText } from '../../ui/time.tsx';
import { viewerZone } from '../../ui/zone.ts';
import { lastPlace, marks, minutesAt, placeOf, stepsOfMark } from './clock-scale.ts';
import { briefly, type Due, dueQuery, nextChange, type Passed, passedBy, sentencesOf } from './due.ts';

const route = getRouteApi('/inside/p/$clientId/clock');

/** The clock of a sandbox, and what will have happened by the time to which it is set. */
export function SandboxClock() {
  const clientId = Number(route.useParams().clientId);
  const clock = useQuery({ ...asking('SandboxClockGet', { client_id: clientId }), refetchInterval: 15_000 });
  return (
    <Page title="Sandbox clock" about="Whatever time decides for this partner goes by it. It goes forward only.">
      {clock.error && <RefusalNote error={clock.error} />}
      {clock.isPending && <Skeleton height={220} />}
      {clock.data && !clock.error && <Ahead clientId={clientId} clock={clock.data} />}
    </Page>
  );
}

const aheadText = (seconds: number): string => {
  if (seconds <= 0) return 'the same as real time';
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  return `${days > 0 ? `${days} d ` : ''}${hours > 0 ? `${hours} h ` : ''}${minutes} min ahead of real time`;
};

function Ahead({ clientId, clock }: { clientId: number; clock: SandboxClockBody }) {
  const may = useMay();
  const [minutes, setMinutes] = useState(0);
  const [isOpen, dialog] = useDisclosure(false);
  const { data: due } = useQuery(dueQuery(clientId));
  const nowMs = Date.parse(clock.now);
  const thenMs = nowMs + minutes * 60_000;
  const passed = due && passedBy(due, nowMs, thenMs);
  return (
    <Stack gap="lg" p="md" className="panel">
      <div>
        <Text fw={600}>{exactText(clock.now)}</Text>
        <Text size="sm" c="dimmed">
          {aheadText(clock.offset_s)}
        </Text>
      </div>
      <Slider
        thumbLabel="Set the clock forward"
        min={0}
        max={lastPlace}
        value={placeOf(minutes)}
        onChange={(place) => setMinutes(minutesAt(place))}
        label={(place) => aheadText(minutesAt(place) * 60).replace(' ahead of real time', ' later')}
        marks={marks.map(({ label }, i) => ({ value: i * stepsOfMark, label }))}
        mb="xl"
        mx="md"
      />
      <Target {...{ due, nowMs, thenMs, setMinutes }} />
      {minutes > 0 && passed && <WhatPasses passed={passed} isMore={due.isMore} />}
      {minutes === 0 && due && <WhatComes due={due} nowMs={nowMs} onChoose={setMinutes} />}
      {may('SandboxClockSet') && (
        <Group justify="flex-end">
          <Button disabled={minutes === 0 || !passed} onClick={dialog.open}>
            Set the clock forward…
          </Button>
        </Group>
      )}
      {isOpen && passed && (
        <SetDialog
          {...{ clientId, thenMs, passed, isMore: due.isMore, onDone: () => setMinutes(0) }}
          onClose={dialog.close}
        />
      )}
    </Stack>
  );
}

interface TargetProps {
  due: Due | undefined;
  nowMs: number;
  thenMs: number;
  setMinutes(minutes: number): void;
}

/** The exact time, and the next one at which something happens. */
function Target({ due, nowMs, thenMs, setMinutes }: TargetProps) {
  const next = due && nextChange(due, nowMs);
  const minutesTo = (ms: number) => Math.max(0, Math.ceil((ms - nowMs) / 60_000));
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        label="Forward to"
        description={`In your time, ${viewerZone}.`}
        type="datetime-local"
        value={localText(thenMs)}
        min={localText(nowMs)}
        onChange={(event) => {
          const ms = Date.parse(event.currentTarget.value);
          if (!Number.isNaN(ms)) setMinutes(minutesTo(ms));
        }}
      />
      {next !== undefined && (
        <Button variant="default" onClick={() => setMinutes(minutesTo(next))}>
          To the next change
        </Button>
      )}
    </Group>
  );
}

const WhatPasses = ({ passed, isMore }: { passed: Passed; isMore: boolean }) => (
  <Stack gap={4} component="section" aria-label="On the way">
    <Title order={2}>On the way</Title>
    <List size="sm">
      {sentencesOf(passed, isMore).map((each) => (
        <List.Item key={each}>{each}</List.Item>
      ))}
    </List>
  </Stack>
);

/** Before one has chosen: what there is to choose. */
const WhatComes = (props: { due: Due; nowMs: number; onChoose(minutes: number): void }) => {
  const { due, nowMs, onChoose } = props;
  const coming = marks.slice(1).map(({ label, minutes }) => {
    const passed = passedBy(due, nowMs, nowMs + minutes * 60_000);
    return { label, minutes, text: briefly(passed, due.isMore) };
  });
  return (
    <Stack gap={4} component="section" aria-label="What comes">
      <Title order={2}>What comes</Title>
      {coming.map(({ label, minutes, text }) => (
        <Group key={label} gap="sm" wrap="nowrap">
          <Button size="compact-sm" variant="default" w={130} miw={130} onClick={() => onChoose(minutes)}>
            In one {label}
          </Button>
          <Text size="sm">{text}</Text>
        </Group>
      ))}
    </Stack>
  );
};

interface SetProps {
  clientId: number;
  thenMs: number;
  passed: Passed;
  isMore: boolean;
  onDone(): void;
  onClose(): void;
}

function SetDialog({ clientId, thenMs, passed, isMore, onDone, onClose }: SetProps) {
  const readAgain = useReadAgain();
  const [now] = useState(() => new Date(thenMs).toISOString());
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Set the sandbox clock forward"
      action="Set the clock forward"
      isDangerous
      carryOut={async (reason) => {
        await call('SandboxClockSet', { client_id: clientId, now, reason });
        onDone();
        await readAgain('SandboxClockGet', 'PartnerGet', 'FreeBetList', 'FreeBetGet', 'CampaignSearch', 'CampaignGet');
      }}
    >
      <Text size="sm">For this partner it will be {exactText(now)}.</Text>
      <WhatPasses passed={passed} isMore={isMore} />
      <Alert color="gray">The clock cannot be set back.</Alert>
    </ChangeDialog>
  );
}
