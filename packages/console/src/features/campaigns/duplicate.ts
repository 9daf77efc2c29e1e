import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';

/** Begins a draft with the terms of a campaign, and goes there. Nothing is given by it. */
export function useDuplicate(clientId: number) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (campaignId: string) => call('DraftCopy', { client_id: clientId, campaign_id: campaignId }),
    onSuccess: ({ draft_id }) => navigate({ to: `/p/${clientId}/drafts/${draft_id}` }),
    onError: ({ message }) =>
      notifications.show({ color: 'red', title: 'It was not duplicated', message, withCloseButton: false }),
  });
}
