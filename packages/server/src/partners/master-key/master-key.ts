import { change } from '../../audit/change.ts';
import type { Connection } from '../../engine/connection.ts';
import { ask } from '../../engine/statement.ts';
import { ownerOfTotp } from '../../people/second-factor.ts';
import { lockAdmins } from '../../people/sql/administration.ts';
import { keyIdOf, type MasterKey, openSecret, ownerOf, reseal } from '../../primitives/sealing.ts';
import type { SecretContext } from '../callers/secrets.ts';
import { blockReferenceChanges } from '../reference/sql.ts';
import { lockSealed, readSealed, replaceSealed, type Sealed, type SealedKind, type SealedRow } from './sql.ts';

// Re-encrypts all secrets with the first master key. The secrets stay the same, so servers don't reload them. Rows
// already sealed with the first key are skipped, so an interrupted run can be repeated; the other rows still open with
// their old key.

export interface Resealing {
  key_id: string;
  resealed: Record<SealedKind, number>;
  /** Owners with a secret that no key decrypts. It stays unchanged. */
  unopened: string[];
}

const kinds: Record<SealedKind, { ownerOf(id: string): string; hold(connection: Connection): Promise<unknown> }> = {
  partner: { ownerOf: (id) => ownerOf('partner', id), hold: blockReferenceChanges },
  provider: { ownerOf: (id) => ownerOf('provider', id), hold: blockReferenceChanges },
  // Changes of staff lock the admins first.
  staff: { ownerOf: ownerOfTotp, hold: (connection) => ask(connection, lockAdmins()) },
};

const kindNames = Object.keys(kinds) as SealedKind[];

/** Rows per transaction: few, so that concurrent changes of secrets hardly wait. */
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
  /** The id of the last row; null if there are no more rows. */
  last: string | null;
}

const lastId = (rows: readonly SealedRow[]): string | null =>
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
    const last = lastId(rows);
    const changed = count === 0 ? null : recordOf(context, kind, rows, count);
    return { answer: { resealed: count, unopened, last }, changed };
  });

function resealRow({ masterKey }: SecretContext, kind: SealedKind, { id, sealed }: SealedRow) {
  const results = sealed.map((each) => each && reseal(masterKey, kinds[kind].ownerOf(id), each));
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

export interface SecretsCheck {
  /** How many owners have only secrets that can be decrypted. */
  opened: Record<SealedKind, number>;
  unopened: string[];
}

/** Tries to decrypt every secret. Changes and locks nothing. */
export async function checkSecrets(connection: Connection, masterKey: MasterKey): Promise<SecretsCheck> {
  const result: SecretsCheck = { opened: { partner: 0, provider: 0, staff: 0 }, unopened: [] };
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
      after = lastId(rows);
    } while (after !== null);
  }
  return result;
}

/** The master key decrypts none of the stored secrets. */
export class WrongMasterKey extends Error {}

/**
 * Throws WrongMasterKey if no stored secret can be decrypted. Servers check this at startup and commands before a
 * change: a secret sealed with a wrong key would lock its owner out on every server. One secret is enough, even of a
 * disabled owner. If only second factors are stored, any key is accepted: after a lost key, no caller's rotated secret
 * could prove a new key.
 */
export async function requireMasterKey(connection: Connection, masterKey: MasterKey): Promise<void> {
  let hasCallers = false;
  for (const kind of kindNames) {
    let after: string | null = null;
    do {
      const rows: SealedRow[] = await readSealed(connection, kind, after, rowsAtATime);
      if (rows.some((row) => opensAny(masterKey, kind, row))) return;
      hasCallers ||= kind !== 'staff' && rows.length > 0;
      after = lastId(rows);
    } while (after !== null);
  }
  if (hasCallers) throw new WrongMasterKey('The stored secrets do not open with this SECRETS_KEY.');
}

const opensAny = (masterKey: MasterKey, kind: SealedKind, { id, sealed }: SealedRow): boolean =>
  sealed.some((each) => each !== null && openSecret(masterKey, kinds[kind].ownerOf(id), each) !== undefined);
