import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/session.ts';
import { newId } from '../../ui/address.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Empty, Page } from '../../ui/page.tsx';

const route = getRouteApi('/inside/p/$clientId/drafts/new');

/** Asks for the name first, so that no empty drafts are left behind. */
export function NewCampaign() {
  const clientId = Number(route.useParams().clientId);
  const may = useMay();
  const navigate = useNavigate();
  // One ID per name, created here, so that a double click creates one draft.
  const form = useForm({ initialValues: { name: '', draft_id: newId() } });
  const { name, draft_id } = form.values;
  const begin = useMutation({
    mutationFn: () =>
      call('DraftSave', { client_id: clientId, draft_id, kind: 'campaign', content: { name: name.trim() } }),
    onSuccess: ({ draft_id }) => navigate({ to: `/p/${clientId}/drafts/${draft_id}`, replace: true }),
  });
  if (!may('DraftSave')) {
    return (
      <Page title="New campaign">
        <Empty title="Your role does not allow this">Managers and admins create campaigns.</Empty>
      </Page>
    );
  }
  return (
    <Page title="New campaign" about="The draft is saved automatically. No free bets are issued until you submit it.">
      <form
        onSubmit={form.onSubmit(() => {
          if (name.trim() !== '') begin.mutate();
        })}
      >
        <Stack className="panel" p="md" maw={520}>
          <TextInput
            label="Name"
            description="For you and your colleagues. Players do not see it."
            value={name}
            onChange={(event) => form.setValues({ name: event.currentTarget.value, draft_id: newId() })}
            maxLength={255}
            required
            autoFocus
          />
          {begin.error && <ErrorNote error={begin.error} />}
          <Button type="submit" loading={begin.isPending} disabled={name.trim() === ''}>
            Create draft
          </Button>
        </Stack>
      </form>
    </Page>
  );
}
