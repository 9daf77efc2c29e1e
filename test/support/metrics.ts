import { post } from './caller.ts';
import { until } from './waiting.ts';

const read = async (url: string) => (await post(`${url}/metrics`, '', {}, 'GET')).text;

/** Metrics that are newer than the call: a server collects them at most once a second. */
export async function freshMetrics(url: string): Promise<string> {
  const stale = await read(url);
  let text = stale;
  await until('the metrics are put together again', 10_000, async () => {
    text = await read(url);
    return text !== stale;
  });
  return text;
}
