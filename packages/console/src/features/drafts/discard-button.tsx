import type { DraftBody } from '@freebets/contract';
import { Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useChange } from '../../api/change.ts';
import { RefusalNote } from '../../ui/refusal.tsx';

type Named = Pick<DraftBody, 'client_id' | 'draft_id' | 'title'>;

/** Nothing was given by it, so no reason is asked for. */
export function DiscardButton({ draft: { client_id, draft_id, title } }: { draft: Named }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const change = useChange('draft');
  const discard = useMutation({ mutationFn: () => change('DraftDiscard', { client_id, draft_id }) });
  return (
    <>
      <Button variant="default" onClick={open}>
        Discard
      </Button>
      <Modal opened={isOpen} onClose={() => discard.isPending || close()} title="Discard the draft" centered>
        <Text size="sm">{title ?? 'The draft'} is given up for good. No campaign and no player is touched by it.</Text>
        {discard.error && <RefusalNote error={discard.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close} disabled={discard.isPending} data-autofocus>
            Keep it
          </Button>
          <Button color="red" loading={discard.isPending} onClick={() => discard.mutate()}>
            Discard it
          </Button>
        </Group>
      </Modal>
    </>
  );
}
