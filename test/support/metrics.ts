import { post } from './caller.ts';
import { until } from './waiting.ts';

const read = async (url: string) => (await post(`${url}/metrics`, '', {}, 'GET')).text;

/** The metrics as they stand after this was called: a server puts them together at most once a second. */
export async function freshMetrics(url: string): Promise<string> {
  const stale = await read(url);
  let text = stale;
  await until('the metrics are put together again', 10_000, async () => {
    text = await read(url);
    return text !== stale;
  });
  return text;
}
