import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/session.ts';
import { Empty } from '../../ui/empty.tsx';
import type { Standing } from './standing.ts';

/** Where nothing is there yet: what to do first, by what one may do. */
export function FirstSteps({ partners: [partner] }: { partners: Standing['partners'] }) {
  const may = useMay();
  if (partner === undefined) {
    return (
      <Empty title="There is no partner yet">
        {may('PartnerCreate')
          ? 'Import the games first, then create the partner that offers them to its players.'
          : 'An admin creates the first one, or gives you the partners that you work for.'}
        {may('PartnerCreate') && (
          <Group justify="center" mt="md">
            <Button component={Link} to="/games" variant="default">
              Games
            </Button>
            <Button component={Link} to="/partners">
              Create a partner
            </Button>
          </Group>
        )}
      </Empty>
    );
  }
  return (
    <Empty title={`${partner.name} has no campaigns yet`}>
      A campaign says which players may get what, in which games. Its figures stand here while it runs.
      {may('DraftSave') && (
        <Group justify="center" mt="md">
          <Button component={Link} to={`/p/${partner.client_id}/campaigns/new`}>
            Make the first campaign
          </Button>
        </Group>
      )}
    </Empty>
  );
}
