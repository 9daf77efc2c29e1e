import { change } from '../../audit/change.ts';
import type { Connection } from '../../engine/connection.ts';
import { ask } from '../../engine/statement.ts';
import { ownerOfTotp } from '../../people/second-factor.ts';
import { lockAdmins } from '../../people/sql/administration.ts';
import { keyIdOf, type MasterKey, openSecret, ownerOf, resealed } from '../../primitives/sealing.ts';
import type { SecretContext } from '../callers/secrets.ts';
import { holdChanges } from '../reference/sql.ts';
import { lockSealed, readSealed, replaceSealed, type Sealed, type SealedKind, type SealedRow } from './sql.ts';

// Seals all secrets under the first of the master keys. The secrets stay the same, so nobody has to load anything. A row that is sealed
// under the first key is left alone: so it can be broken off anywhere and begun again, and whatever was not reached still opens
// with the key that it had.

export interface Resealing {
  key_id: string;
  resealed: Record<SealedKind, number>;
  /** Whose secret opens with none of the keys. It is left as it is. */
  unopened: string[];
}

const kinds: Record<SealedKind, { ownerOf(id: string): string; hold(connection: Connection): Promise<unknown> }> = {
  partner: { ownerOf: (id) => ownerOf('partner', id), hold: holdChanges },
  provider: { ownerOf: (id) => ownerOf('provider', id), hold: holdChanges },
  // Whoever changes people locks the admins first.
  staff: { ownerOf: ownerOfTotp, hold: (connection) => ask(connection, lockAdmins()) },
};

const kindNames = Object.keys(kinds) as SealedKind[];

/** Rows in one transaction: few enough that whoever changes a secret at that moment hardly waits. */
const rowsAtATime = 100;

export async function resealAll(context: SecretContext): Promise<Resealing> {
  const result: Resealing = {
    key_id: keyIdOf(context.masterKey),
    resealed: { partner: 0, provider: 0, staff: 0 },
    unopened: [],
  };
  for (const kind of kindNames) {
    let after: string | null = null;
    do {
      const step: Step = await resealSome(context, kind, after);
      result.resealed[kind] += step.resealed;
      result.unopened.push(...step.unopened);
      after = step.last;
    } while (after !== null);
  }
  return result;
}

interface Step {
  resealed: number;
  unopened: string[];
  /** The id of the last row; null where there may be no more. */
  last: string | null;
}

const lastOf = (rows: readonly SealedRow[]): string | null =>
  rows.length < rowsAtATime ? null : (rows.at(-1)?.id ?? null);

const resealSome = (context: SecretContext, kind: SealedKind, after: string | null): Promise<Step> =>
  change(context, async (connection) => {
    await kinds[kind].hold(connection);
    const rows = await lockSealed(connection, kind, after, rowsAtATime);
    const unopened: string[] = [];
    let count = 0;
    for (const row of rows) {
      const { sealed, isChanged, isUnopened } = resealRow(context, kind, row);
      if (isUnopened) unopened.push(kinds[kind].ownerOf(row.id));
      if (isChanged) await replaceSealed(connection, kind, { id: row.id, sealed });
      count += Number(isChanged);
    }
    const last = lastOf(rows);
    const changed = count === 0 ? null : recordOf(context, kind, rows, count);
    return { answer: { resealed: count, unopened, last }, changed };
  });

function resealRow({ masterKey }: SecretContext, kind: SealedKind, { id, sealed }: SealedRow) {
  const results = sealed.map((each) => each && resealed(masterKey, kinds[kind].ownerOf(id), each));
  const isUnopened = results.includes('unopened');
  const isChanged = results.some(Buffer.isBuffer);
  return { sealed: sealed.map((each, i) => bufferOr(results[i], each)) as Sealed, isChanged, isUnopened };
}

const bufferOr = (result: unknown, otherwise: Buffer | null) => (Buffer.isBuffer(result) ? result : otherwise);

const recordOf = ({ masterKey }: SecretContext, kind: SealedKind, rows: readonly SealedRow[], count: number) => ({
  target: { kind: 'master_key', id: keyIdOf(masterKey) },
  before: null,
  after: { resealed: kind, count, from: rows[0]?.id, to: rows.at(-1)?.id },
});

export interface Opening {
  /** How many have secrets that all open. */
  opened: Record<SealedKind, number>;
  unopened: string[];
}

/** Opens all there is. Changes nothing, and holds nobody up. */
export async function openAll(connection: Connection, masterKey: MasterKey): Promise<Opening> {
  const result: Opening = { opened: { partner: 0, provider: 0, staff: 0 }, unopened: [] };
  for (const kind of kindNames) {
    let after: string | null = null;
    do {
      const rows: SealedRow[] = await readSealed(connection, kind, after, rowsAtATime);
      for (const { id, sealed } of rows) {
        const owner = kinds[kind].ownerOf(id);
        if (sealed.every((each) => each === null || openSecret(masterKey, owner, each) !== undefined))
          result.opened[kind] += 1;
        else result.unopened.push(owner);
      }
      after = lastOf(rows);
    } while (after !== null);
  }
  return result;
}

/** Not one of the stored secrets opens with the master key. */
export class WrongMasterKey extends Error {}

/**
 * For a server that starts, and a command: what they sealed under another key than the rest would shut its owner out, on every server.
 * One secret that opens is enough, be its owner disabled. Where only second factors are sealed no key is refused: after a loss
 * there would be no caller whose new secret could open.
 */
export async function requireMasterKey(connection: Connection, masterKey: MasterKey): Promise<void> {
  let hasCallers = false;
  for (const kind of kindNames) {
    let after: string | null = null;
    do {
      const rows: SealedRow[] = await readSealed(connection, kind, after, rowsAtATime);
      if (rows.some((row) => opensAny(masterKey, kind, row))) return;
      hasCallers ||= kind !== 'staff' && rows.length > 0;
      after = lastOf(rows);
    } while (after !== null);
  }
  if (hasCallers) throw new WrongMasterKey('The stored secrets do not open with this SECRETS_KEY.');
}

const opensAny = (masterKey: MasterKey, kind: SealedKind, { id, sealed }: SealedRow): boolean =>
  sealed.some((each) => each !== null && openSecret(masterKey, kinds[kind].ownerOf(id), each) !== undefined);
