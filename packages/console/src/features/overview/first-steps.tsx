import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asking } from '../../api/queries.ts';
import { useMay, useMayForAll } from '../../api/session.ts';
import { Empty } from '../../ui/empty.tsx';
import { partnersToChoose } from '../../ui/partner-select.tsx';
import type { Standing } from './parts.ts';

interface FirstStepsProps {
  clientId: number | undefined;
  standing: Standing;
  /** What is shown where something is there. */
  children: ReactNode;
}

/** Where nothing is there yet: what to do first, by what one may do. */
export function FirstSteps({ clientId, standing, children }: FirstStepsProps) {
  const { data: all } = useQuery(partnersToChoose());
  const isQuiet = clientId !== undefined && standing.live_campaigns === 0;
  const { data: some } = useQuery({
    ...asking('CampaignList', { client_id: clientId ?? 0, limit: 1 }),
    enabled: isQuiet,
  });
  if (all?.partners.length === 0) return <NoPartner />;
  return isQuiet && some?.campaigns.length === 0 ? <NoCampaign clientId={clientId} /> : children;
}

function NoPartner() {
  const mayForAll = useMayForAll();
  return (
    <Empty title="There is no partner yet">
      {mayForAll('PartnerCreate')
        ? 'Import the games first, then create the partner that offers them to its players.'
        : 'An admin creates the first one, or gives you the partners that you work for.'}
      {mayForAll('PartnerCreate') && (
        <Group justify="center" mt="md">
          <Button component={Link} to="/games" variant="default">
            Games
          </Button>
          <Button component={Link} to="/partners/new">
            Create a partner
          </Button>
        </Group>
      )}
    </Empty>
  );
}

function NoCampaign({ clientId }: { clientId: number }) {
  const may = useMay();
  return (
    <Empty title="This partner has no campaigns yet">
      A campaign says which players may get what, in which games. Its figures stand here while it runs.
      {may('DraftSave') && (
        <Group justify="center" mt="md">
          <Button component={Link} to={`/p/${clientId}/drafts/new`}>
            Make the first campaign
          </Button>
        </Group>
      )}
    </Empty>
  );
}
