import type { CheckHead } from '../check/check.ts';
import type { Config } from '../ops/config.ts';
import { addressOf } from './called-server.ts';

// Where somebody can read on: at a server that shows the guides, so that the link also leads there from a report that was sent to
// others; else in the files of this installation.

type Guide = CheckHead['guide'];

const patienceMs = 10_000;

export async function guidesFor(config: Config, checked?: string): Promise<(guide: Guide) => string> {
  const own = await addressOf(config, undefined).catch(() => undefined);
  for (const server of [checked, own]) {
    if (server !== undefined && (await showsGuides(server))) return (guide) => `${server}/docs/${guide}`;
  }
  return (guide) => new URL(`../../../../docs/${guide.replace('#', '.md#')}`, import.meta.url).href;
}

/** Another server of the interface may answer whatever it likes there. */
async function showsGuides(server: string): Promise<boolean> {
  try {
    const answer = await fetch(`${server}/docs/partners`, { signal: AbortSignal.timeout(patienceMs) });
    return (await answer.text()).includes('id="signing"') && answer.ok;
  } catch {
    return false;
  }
}
