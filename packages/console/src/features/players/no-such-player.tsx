import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CallResponse } from '../../api/call.ts';
import { callQuery } from '../../api/queries.ts';
import { idInPath } from '../../ui/address.ts';
import { Empty } from '../../ui/page.tsx';

export const playerPath = (clientId: number, playerId: string): string =>
  `/p/${clientId}/players/${idInPath(playerId)}`;

interface NoSuchPlayerProps {
  clientId: number;
  playerId: string;
  similar: CallResponse<'PlayerSearch'>['similar'];
  /** On the search screen, which can open a new player to issue a first free bet. */
  canOpen?: boolean;
}

export const NoSuchPlayer = ({ clientId, playerId, similar, canOpen = false }: NoSuchPlayerProps) => (
  <Empty title={`No free bets for ${playerId}`}>
    {similar.length > 0 ? (
      <Text inherit className="name">
        IDs are case-sensitive. Did you mean{' '}
        {similar.map(({ player_id }, i) => (
          <span key={player_id}>
            {i > 0 && ' or '}
            <PlayerAnchor clientId={clientId} playerId={player_id} />
          </span>
        ))}
        ?
      </Text>
    ) : (
      'Check the ID. It must match the partner’s ID exactly, including capital letters and spaces.'
    )}
    {canOpen && (
      <Text inherit className="name" mt="xs">
        New player? <PlayerAnchor clientId={clientId} playerId={playerId} words={`Open ${playerId} anyway`} />
      </Text>
    )}
  </Empty>
);

interface AnchorProps {
  clientId: number;
  playerId: string;
  words?: string;
}

const PlayerAnchor = ({ clientId, playerId, words = playerId }: AnchorProps) => (
  <Anchor inherit underline="always" component={Link} to={playerPath(clientId, playerId)}>
    <bdi>{words}</bdi>
  </Anchor>
);

/** For a player without free bets. */
export function UnknownPlayer({ clientId, playerId }: { clientId: number; playerId: string }) {
  const { data } = useQuery({
    ...callQuery('PlayerSearch', { client_id: clientId, prefix: playerId, limit: 1 }),
    placeholderData: undefined,
  });
  return <NoSuchPlayer clientId={clientId} playerId={playerId} similar={data?.similar ?? []} />;
}
