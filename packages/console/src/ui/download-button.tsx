import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type Asked, type CallName, download } from '../api/call.ts';
import { RefusalNote } from './refusal.tsx';

/** Saves an answer that is a file. */
export function DownloadButton<N extends CallName>({ label, name, body }: { label: string; name: N; body: Asked<N> }) {
  const saving = useMutation({ mutationFn: () => download(name, body) });
  return (
    <Stack gap="xs">
      <Button variant="default" loading={saving.isPending} onClick={() => saving.mutate()}>
        {label}
      </Button>
      {saving.error && <RefusalNote error={saving.error} />}
    </Stack>
  );
}
