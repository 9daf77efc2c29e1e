import type { Connection } from '../engine/connection.ts';
import { ask } from '../engine/statement.ts';
import { type AuditQuery, findNextLink, type LinkRow, linksAtATime, readLinks } from './sql.ts';

/** Yields the links of a chain in order, several at a time, up to the number `through`; null means all. */
export async function* linksOf(
  connection: Connection,
  chain: number,
  through: number | null,
  wanted: AuditQuery | null,
): AsyncGenerator<LinkRow[]> {
  let next = await ask(connection, findNextLink(chain, null));
  while (next !== null && next <= (through ?? next)) {
    const after: number = next - 1;
    const links: LinkRow[] = await ask(connection, readLinks(chain, after, through, wanted));
    if (links.length > 0) yield links;
    const last: number = links.at(-1)?.sequence ?? after + linksAtATime;
    next = await ask(connection, findNextLink(chain, last));
  }
}
