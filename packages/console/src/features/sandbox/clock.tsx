import type { SandboxClockBody } from '@freebets/contract';
import { Alert, Box, Button, Group, Skeleton, Slider, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { callQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { dayText, localText, viewerZone } from '../../ui/dates.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { DateField } from '../../ui/fields.tsx';
import { Page } from '../../ui/page.tsx';
import { exactText } from '../../ui/time.tsx';
import {
  briefly,
  ClockPreviewPanel,
  lastPlace,
  marks,
  minuteMs,
  minutesAt,
  type Preview,
  placeOf,
  stepsOfMark,
  UpcomingChanges,
} from './clock-preview.tsx';

const route = getRouteApi('/inside/p/$clientId/clock');

/** Moves the clock of a sandbox forward and previews what will happen on the way. */
export function SandboxClock() {
  const clientId = Number(route.useParams().clientId);
  const clock = useQuery({ ...callQuery('SandboxClockGet', { client_id: clientId }), refetchInterval: 15_000 });
  return (
    <Page title="Sandbox clock" about="All times of this sandbox follow its clock. You can only move it forward.">
      {clock.error && <ErrorNote error={clock.error} />}
      {clock.isPending && <Skeleton height={220} />}
      {clock.data && !clock.error && <ClockPanel clientId={clientId} clock={clock.data} />}
    </Page>
  );
}

const lengthText = (seconds: number): string => {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  return `${days > 0 ? `${days} d ` : ''}${hours > 0 ? `${hours} h ` : ''}${minutes} min`;
};

/** What would happen on the way to this time; undefined while it loads. */
function usePreview(clientId: number, now: string, isAsked: boolean) {
  const [asked] = useDebouncedValue(now, 150);
  const { data, error, isPlaceholderData } = useQuery({
    ...callQuery('ClockPreview', { client_id: clientId, now: asked }),
    enabled: isAsked && asked === now,
  });
  return { preview: data, error, isCurrent: data !== undefined && !isPlaceholderData && asked === now };
}

function ClockPanel({ clientId, clock }: { clientId: number; clock: SandboxClockBody }) {
  const may = useMay();
  // A target time rather than an offset, because the clock keeps running.
  const [targetMs, setTargetMs] = useState(0);
  const [confirmed, setConfirmed] = useState<{ now: string; preview: Preview } | null>(null);
  const nowMs = Date.parse(clock.now);
  const isAhead = targetMs > nowMs;
  const now = new Date(Math.max(targetMs, nowMs)).toISOString();
  const { preview, error, isCurrent } = usePreview(clientId, now, isAhead);
  return (
    <Stack gap="lg" p="md" className="panel">
      <div>
        <Text fw={600}>{exactText(clock.now)}</Text>
        <Text size="sm" c="dimmed">
          {clock.offset_s > 0 ? `${lengthText(clock.offset_s)} ahead of real time` : 'Same as real time'}
        </Text>
      </div>
      <Slider
        thumbLabel="Move clock forward"
        min={0}
        max={lastPlace}
        value={isAhead ? placeOf((targetMs - nowMs) / minuteMs) : 0}
        onChange={(place) => setTargetMs(nowMs + minutesAt(place) * minuteMs)}
        label={(place) => `${lengthText(minutesAt(place) * 60)} later`}
        marks={marks.map(({ label }, i) => ({ value: i * stepsOfMark, label }))}
        mb="xl"
        mx="md"
      />
      <Target nowMs={nowMs} then={now} onChoose={setTargetMs} />
      {!isAhead && <UpcomingChanges clientId={clientId} nowMs={nowMs} onChoose={setTargetMs} />}
      {isAhead && error && <ErrorNote error={error} />}
      {isAhead && !error && preview && (
        <Box opacity={isCurrent ? 1 : 0.6} aria-busy={!isCurrent} aria-live="polite">
          <ClockPreviewPanel clientId={clientId} preview={preview} />
        </Box>
      )}
      {may('SandboxClockSet') && (
        <Group justify="flex-end">
          <Button disabled={!isAhead || !isCurrent} onClick={() => preview && setConfirmed({ now, preview })}>
            Move clock forward…
          </Button>
        </Group>
      )}
      {confirmed && (
        <SetDialog {...{ clientId, ...confirmed }} onDone={() => setTargetMs(0)} onClose={() => setConfirmed(null)} />
      )}
    </Stack>
  );
}

function Target({ nowMs, then, onChoose }: { nowMs: number; then: string; onChoose(targetMs: number): void }) {
  return (
    <DateField
      label="Move forward to"
      description={`Your time zone: ${viewerZone}`}
      type="datetime-local"
      value={localText(then)}
      // A bound with the current minute would change while the user types and undo the input.
      min={`${dayText(new Date(nowMs))}T00:00`}
      onChange={(time) => time !== '' && onChoose(Date.parse(time))}
      w={240}
    />
  );
}

interface SetProps {
  clientId: number;
  now: string;
  preview: Preview;
  onDone(): void;
  onClose(): void;
}

function SetDialog({ clientId, now, preview, onDone, onClose }: SetProps) {
  const change = useChange('sandbox_clock');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Move sandbox clock forward"
      action="Move clock forward"
      isDangerous
      onConfirm={async (reason) => {
        await change('SandboxClockSet', { client_id: clientId, now, reason });
        onDone();
      }}
    >
      <Text size="sm">The new time of this sandbox: {exactText(now)}.</Text>
      <Text size="sm">This will happen: {briefly(preview)}.</Text>
      <Alert color="gray">The clock cannot be moved back.</Alert>
    </ChangeDialog>
  );
}
