import {
  Alert,
  Badge,
  Button,
  CloseButton,
  Group,
  Image,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { shallowEqual, useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type CallRequest, type CallResponse, call } from '../../api/call.ts';
import { callQuery, listQuery } from '../../api/queries.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count } from '../../ui/figures.tsx';
import { useGames } from '../../ui/games.tsx';
import { Empty } from '../../ui/page.tsx';
import type { FieldsProps } from './fields.tsx';

// Chooses games by picture. The server searches and pages; only some of the games are loaded.

const maxGames = 500;
const pageSize = 24;

interface Filter {
  search: string;
  provider: string | null;
  currency: string | null;
}

interface PickerProps extends FieldsProps {
  clientId: number;
}

type AskedGames = Omit<CallRequest<'CatalogueGames'>, 'limit' | 'cursor'>;

const askedBy = (clientId: number, { search, provider, currency }: Filter): AskedGames => ({
  client_id: clientId,
  free_bets: true,
  ...(search.trim() && { search: search.trim() }),
  ...(provider && { provider_id: provider }),
  ...(currency && { currency }),
});

export function GamePicker({ clientId, form }: PickerProps) {
  const { games } = form.values;
  const choose = (games: string[]) => form.setFieldValue('games', games);
  const [filter, setFilter] = useState<Filter>({ search: '', provider: null, currency: null });
  const [search] = useDebouncedValue(filter.search, 200);
  const wanted = askedBy(clientId, filter);
  const asked = askedBy(clientId, { ...filter, search });
  const query = useInfiniteQuery(listQuery('CatalogueGames', { ...asked, limit: pageSize }));
  const isCurrent = shallowEqual(asked, wanted) && !query.isPlaceholderData;
  const total = isCurrent ? query.data?.pages[0]?.total : undefined;
  const all = useChooseAll(wanted, games, choose);
  const setGames = (games: string[]) => {
    all.forget();
    choose(games);
  };
  const change = (next: Filter) => {
    all.forget();
    setFilter(next);
  };
  return (
    <Stack gap="sm">
      <Chosen games={games} onChange={setGames} />
      <Filters clientId={clientId} filter={filter} onChange={change} />
      <Group justify="space-between" mih={26}>
        <Text size="sm" c="dimmed" role="status">
          {foundText(total, isCurrent && query.isError)}
        </Text>
        {total !== undefined && <ChooseAll total={total} all={all} />}
      </Group>
      <NotChosen all={all} />
      <Found
        query={query}
        chosen={games}
        isCurrent={isCurrent}
        isFiltered={Boolean(filter.search.trim() || filter.provider || filter.currency)}
        onChange={setGames}
      />
    </Stack>
  );
}

function foundText(total: number | undefined, isError: boolean): string {
  if (total === 1) return '1 matching game with free bets';
  if (total !== undefined) return `${count(total)} matching games with free bets`;
  return isError ? 'Search failed' : 'Searching…';
}

type ChoosingAll = ReturnType<typeof useChooseAll>;

/**
 * Adds all matching games to the selection, or none if that exceeds the maximum. The filter can change before the
 * response arrives.
 */
function useChooseAll(wanted: AskedGames, chosen: string[], onChange: (games: string[]) => void) {
  const [tooMany, setTooMany] = useState<number | null>(null);
  const { mutate, reset, variables, isPending, error } = useMutation({
    mutationFn: (asked: AskedGames) => call('CatalogueGames', { ...asked, limit: maxGames }),
    onSuccess({ games: found }) {
      const games = [...new Set([...chosen, ...found.map(({ id }) => id)])];
      if (games.length > maxGames) setTooMany(games.length);
      else onChange(games);
    },
  });
  const forget = () => {
    setTooMany(null);
    // A pending request must still report its result; after a reset it would not.
    if (!isPending) reset();
  };
  const choose = () => {
    setTooMany(null);
    mutate(wanted);
  };
  return { choose, forget, tooMany, isPending, error, isOfAnother: !shallowEqual(variables, wanted) };
}

function ChooseAll({ total, all }: { total: number; all: ChoosingAll }) {
  if (total === 0) return null;
  if (total > maxGames)
    return (
      <Text size="sm" c="dimmed">
        A campaign has at most {count(maxGames)} games. Narrow the search to select all.
      </Text>
    );
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={all.isPending && !all.isOfAnother}
      disabled={all.isOfAnother ? all.isPending : all.tooMany !== null}
      onClick={all.choose}
    >
      Select all {count(total)}
    </Button>
  );
}

function NotChosen({ all: { tooMany, error, isOfAnother } }: { all: ChoosingAll }) {
  if (tooMany === null && !error) return null;
  return (
    <>
      {isOfAnother && (
        <Text size="sm" role="alert">
          The games of your previous search were not selected:
        </Text>
      )}
      {tooMany !== null && (
        <Alert color="orange" variant="light" role="alert">
          A campaign has at most {count(maxGames)} games. With {isOfAnother ? 'those' : 'these'} it would have{' '}
          {count(tooMany)}.{!isOfAnother && ' Narrow the search, or remove some games.'}
        </Alert>
      )}
      {error && <ErrorNote error={error} />}
    </>
  );
}

interface ChosenProps {
  games: string[];
  onChange(games: string[]): void;
}

function Chosen({ games, onChange }: ChosenProps) {
  const shown = games.slice(0, 20);
  const { titleOf } = useGames(shown);
  if (games.length === 0) return <Text size="sm">Select the games in which players can use the free bet.</Text>;
  return (
    <Group gap={6}>
      <Text size="sm" fw={600}>
        {count(games.length)} selected
      </Text>
      {shown.map((id) => (
        <Badge
          key={id}
          variant="light"
          tt="none"
          rightSection={
            <CloseButton
              size="xs"
              aria-label={`Remove ${titleOf(id)}`}
              onClick={() => onChange(games.filter((each) => each !== id))}
            />
          }
        >
          {titleOf(id)}
        </Badge>
      ))}
      {games.length > shown.length && <Text size="sm">and {count(games.length - shown.length)} more</Text>}
      <Button size="compact-xs" variant="subtle" onClick={() => onChange([])}>
        Remove all
      </Button>
    </Group>
  );
}

interface FiltersProps {
  clientId: number;
  filter: Filter;
  onChange(filter: Filter): void;
}

function Filters({ clientId, filter, onChange }: FiltersProps) {
  const { data: partner } = useQuery(callQuery('PartnerGet', { client_id: clientId }));
  const { data } = useQuery(callQuery('ProviderList', {}));
  const offered = (data?.providers ?? []).filter(({ provider_id }) => partner?.offers.includes(provider_id));
  const currencies = [...new Set(offered.flatMap((provider) => provider.currencies))].toSorted();
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        label="Find games"
        placeholder="Title or ID"
        value={filter.search}
        onChange={(event) => onChange({ ...filter, search: event.currentTarget.value })}
        maxLength={128}
        flex="1 1 180px"
      />
      <Select
        label="Game provider"
        placeholder="Any"
        data={offered.map(({ provider_id, name }) => ({ value: provider_id, label: name }))}
        value={filter.provider}
        onChange={(provider) => onChange({ ...filter, provider })}
        clearable
        searchable
        w={170}
      />
      <Select
        label="Currency"
        placeholder="Any"
        data={currencies}
        value={filter.currency}
        onChange={(currency) => onChange({ ...filter, currency })}
        clearable
        searchable
        w={140}
      />
    </Group>
  );
}

type Page = CallResponse<'CatalogueGames'>;

interface FoundProps {
  query: ReturnType<typeof useInfiniteQuery<Page>>;
  chosen: string[];
  /** Whether the shown games match the current filter. */
  isCurrent: boolean;
  isFiltered: boolean;
  onChange(games: string[]): void;
}

function Found({ query, chosen, isCurrent, isFiltered, onChange }: FoundProps) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  if (error && !data && isCurrent) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={300} />;
  const { pages } = data as { pages: Page[] };
  const isFull = chosen.length >= maxGames;
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  const games = pages.flatMap((page) => page.games.map((game) => ({ ...game, base: page.image_assets.base_url })));
  if (games.length === 0 && !isCurrent) return <Skeleton height={300} />;
  if (games.length === 0 && !isFiltered)
    return <Empty title="No games with free bets are offered to this partner">An admin sets a partner's offer.</Empty>;
  if (games.length === 0)
    return <Empty title="No matching games">Shorten the search or choose another game provider.</Empty>;
  return (
    <>
      {isFull && (
        <Text size="sm" role="status">
          A campaign has at most {count(maxGames)} games. Remove one to select another.
        </Text>
      )}
      <SimpleGrid cols={{ base: 3, sm: 5, lg: 6 }} spacing={4}>
        {games.map(({ id, title, images, base }) => (
          <UnstyledButton
            key={id}
            className="game-card"
            aria-pressed={chosen.includes(id)}
            disabled={isFull && !chosen.includes(id)}
            onClick={() => toggle(id)}
          >
            <Image src={`${base}/${images.square}`} alt="" loading="lazy" radius="sm" h={84} fit="cover" />
            <Text size="xs" mt={4} lineClamp={2}>
              {title}
            </Text>
          </UnstyledButton>
        ))}
      </SimpleGrid>
      {error && <ErrorNote error={error} />}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more games
        </Button>
      )}
    </>
  );
}
