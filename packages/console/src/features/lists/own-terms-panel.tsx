import type { JobBody } from '@freebets/contract';
import { Details } from '../../ui/details.tsx';
import { GamePictures } from '../../ui/game-picture.tsx';
import { useGames } from '../../ui/games.ts';
import { count } from '../../ui/money.tsx';
import { exactText } from '../../ui/time.tsx';
import { coefficientsText, durationText, gamesText } from '../campaigns/terms.ts';

export type DirectJob = Exclude<JobBody, { campaign_id: string }>;

/** What each free bet of a list is that has terms of its own; a player may get several. */
export function OwnTermsPanel({ job }: { job: DirectJob }) {
  const { quantity, bet_amount, games, valid_from, valid_until, duration_min, config } = job;
  const { titleOf } = useGames(games.slice(0, 3));
  return (
    <Details
      title="Terms of each free bet"
      rows={[
        ['Bets of a free bet', `${count(quantity)}, unless the list says otherwise`],
        ['Amount of a bet', `${bet_amount}, in the currency of the player, unless the list says otherwise`],
        ['Games', gamesText(games, titleOf)],
        ...(valid_from === null ? [] : [['Can be used from', exactText(valid_from)] as [string, string]]),
        ['Can be used until', exactText(valid_until)],
        ['A free bet lasts', duration_min === null ? 'until then' : durationText(duration_min)],
        [
          'Coefficients',
          coefficientsText({ minCoefficient: config.min_coefficient, maxCoefficient: config.max_coefficient }),
        ],
      ]}
    >
      <GamePictures ids={games} most={5} isTitled />
    </Details>
  );
}
