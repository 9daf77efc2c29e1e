import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { asking } from '../../api/queries.ts';
import { usePerson } from '../../api/session.ts';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { DraftEditor } from './draft-editor.tsx';
import { DraftView } from './draft-view.tsx';

const route = getRouteApi('/inside/p/$clientId/drafts/$draftId');

/** Its author edits a campaign that is open; whatever else it is, one sees what it will do, and decides. */
export function Draft() {
  const { clientId, draftId } = route.useParams();
  const { staff_id } = usePerson();
  const [opened, setOpened] = useState(0);
  const { data, error, refetch } = useQuery({
    ...asking('DraftGet', { client_id: Number(clientId), draft_id: draftId }),
    placeholderData: undefined,
  });
  if (!data) {
    return (
      <Page title="Draft">
        {error ? <RefusalNote error={error} onRetry={() => void refetch()} /> : <Skeleton height={320} />}
      </Page>
    );
  }
  const isEdited = data.state === 'open' && data.kind === 'campaign' && data.author.staff_id === staff_id;
  if (!isEdited) return <DraftView key={draftId} latest={data} />;
  const reload = async () => {
    await refetch();
    setOpened(opened + 1);
  };
  return <DraftEditor key={`${draftId} ${opened}`} draft={data} onReload={() => reload().catch(reportError)} />;
}
