import { Button, Group, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';

const route = getRouteApi('/inside/p/$clientId/players');

/** Finds a player by the id that the partner has for them. */
export function Players() {
  const { clientId } = route.useParams();
  const [playerId, setPlayerId] = useState('');
  const navigate = useNavigate();
  return (
    <Page title="Players">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = playerId.trim();
          if (wanted !== '') void navigate({ to: `/p/${clientId}/players/${encodeURIComponent(wanted)}` });
        }}
      >
        <Group align="flex-end">
          <TextInput
            label="Player"
            description="The id that the partner has for them."
            value={playerId}
            onChange={(event) => setPlayerId(event.currentTarget.value)}
            autoFocus
            maxLength={128}
            w={320}
            maw="100%"
          />
          <Button type="submit">Find</Button>
        </Group>
      </form>
      <Empty title="Find a player">
        You see every free bet they got, what became of it and why, and can give or cancel one.
      </Empty>
    </Page>
  );
}
