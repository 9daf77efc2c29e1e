import { AspectRatio, Badge, Button, Group, Image, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { CallResponse } from '../../api/call.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { AnchorLink, Empty } from '../../ui/page.tsx';

type Found = CallResponse<'CatalogueGames'>;
type Game = Found['games'][number];

interface GameGridProps {
  query: UseInfiniteQueryResult<InfiniteData<Found>, Error>;
  providers: CallResponse<'ProviderList'>['providers'];
  isFiltered: boolean;
}

const columns = { base: 2, xs: 3, sm: 3, md: 4, lg: 6 };

/** Grouped by game provider, in the order of the catalogue. */
export function GameGrid({ query, providers, isFiltered }: GameGridProps) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  if (error && !data) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (isPending) return <LoadingGrid />;
  const games = data.pages.flatMap((page) => page.games);
  const base = data.pages[0]?.image_assets.base_url ?? '';
  if (games.length === 0) {
    return isFiltered ? (
      <Empty title="No matching games">Choose other filters, or another partner above.</Empty>
    ) : (
      <Empty title="No games yet">An admin imports the game catalogue from a file.</Empty>
    );
  }
  return (
    <Stack gap="lg">
      {[...Map.groupBy(games, ({ provider_id }) => provider_id)].map(([providerId, ofProvider]) => {
        const provider = providers.find(({ provider_id }) => provider_id === providerId);
        return (
          <section key={providerId} aria-label={provider?.name ?? providerId}>
            <Group gap="xs" mb="xs">
              <Title order={2}>
                <AnchorLink to="/providers/$providerId" params={{ providerId }} c="inherit">
                  {provider?.name ?? providerId}
                </AnchorLink>
              </Title>
              <Text size="sm" c="dimmed">
                {provider?.currencies.join(' · ')}
              </Text>
            </Group>
            <SimpleGrid cols={columns}>
              {ofProvider.map((game) => (
                <GameTile key={game.id} game={game} base={base} />
              ))}
            </SimpleGrid>
          </section>
        );
      })}
      {error && <ErrorNote error={error} />}
      {hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const GameTile = ({ game: { id, title, category, promoTypes, images }, base }: { game: Game; base: string }) => (
  <Stack gap={4} className="panel" p="xs">
    <AspectRatio ratio={8 / 5}>
      <Image src={`${base}/${images.landscape}`} alt="" radius="sm" loading="lazy" />
    </AspectRatio>
    <Text size="sm" fw={600} truncate title={title}>
      {title}
    </Text>
    <Text size="xs" c="dimmed" truncate title={id}>
      {id}
    </Text>
    <Group gap={4}>
      <Text size="xs" c="dimmed">
        {category.replace(/([a-z])([A-Z])/g, '$1 $2')}
      </Text>
      {promoTypes.includes('FreeBet') && (
        <Badge size="xs" variant="light" color="green" tt="none">
          free bets
        </Badge>
      )}
    </Group>
  </Stack>
);

const LoadingGrid = () => (
  <SimpleGrid cols={columns} aria-hidden>
    {Array.from({ length: 12 }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: all tiles are the same.
      <Skeleton key={index} height={150} />
    ))}
  </SimpleGrid>
);
