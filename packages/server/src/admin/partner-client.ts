import { FreebetsError, type Partner } from '@freebets/client';
import { change } from '../audit/change.ts';
import { demoPartners } from '../demo/demo.ts';
import type { Config } from '../ops/config.ts';
import { runningServer } from '../ops/server-address.ts';
import { findSecret } from '../partners/callers/sql/secrets.ts';
import { Failure } from '../primitives/failure.ts';
import { openSecret, ownerOf } from '../primitives/sealing.ts';
import { readBounded } from './bounded-file.ts';
import { addressOf, otherReasons, partnerAt, sentenceOf } from './called-server.ts';
import { asCommand, changing, type WithReason } from './changing.ts';
import { clientIdOf } from './ids.ts';

// Commands that call a server as a partner does, over HTTP, here or from elsewhere.

/** Which server is called, and as whom. */
export interface CallOptions extends WithReason {
  url?: string;
  client: string;
  secretFile?: string;
}

export interface PartnerCalls {
  clientId: number;
  url: string;
  /** Gives up soon: for what somebody waits for at a terminal. */
  soon: Partner;
  /** Bears a server that is started again meanwhile: for what takes long anyway. */
  patient: Partner;
}

const patientLimits = { attempts: 20, attemptTimeoutMs: 30_000, deadlineMs: 120_000 };

/** Does something as a partner; what a call fails with becomes a sentence. */
export async function asPartner<T>(
  config: Config,
  options: CallOptions,
  signal: AbortSignal | undefined,
  work: (calls: PartnerCalls) => Promise<T>,
): Promise<T> {
  const clientId = clientIdOf(options.client);
  const url = await addressOf(config, options.url);
  const secret = await secretOf(config, clientId, options);
  const partnerWith = (limits: object) => partnerAt(url, { clientId, secret }, { signal, ...limits });
  try {
    return await work({ clientId, url, soon: partnerWith({}), patient: partnerWith(patientLimits) });
  } catch (error) {
    if (!(error instanceof FreebetsError)) throw error;
    const forbidden = `The server at ${url} does not accept the signature of partner ${clientId}: name the partner with --client, and the file with its secret with --secret-file. ${otherReasons}`;
    throw new Failure(sentenceOf(error, url, forbidden));
  }
}

/** From its file, or from the database that these settings name; a server elsewhere may be one with the data of the demo. */
async function secretOf(config: Config, clientId: number, { url, secretFile, reason }: CallOptions): Promise<string> {
  if (secretFile !== undefined) return secretIn(secretFile);
  const isHere = config.DATABASE_URL !== undefined || (await runningServer(config)) !== undefined;
  if (url === undefined && isHere) return storedSecret(config, clientId, { reason });
  return demoSecretOf(
    clientId,
    isHere ? '--secret-file; with --url it is not taken from the database' : '--secret-file',
  );
}

/** The secrets of the demo are public; any other is in a file that the option names. */
export function demoSecretOf(clientId: number, option: string): string {
  const partner = demoPartners.find((partner) => partner.clientId === clientId);
  if (partner !== undefined) return partner.secret;
  throw new Failure(`The secret of partner ${clientId} is not known here: name the file that holds it with ${option}.`);
}

export function secretIn(path: string): string {
  let text: string;
  try {
    text = readBounded(path, 1).toString().trim();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`The secret cannot be read from ${path}: ${(error as Error).message}.`);
  }
  if (text === '') throw new Failure(`There is no secret in ${path}: the file is empty.`);
  return text;
}

/** Whoever can open it acts as the partner: that is recorded. */
function storedSecret(config: Config, clientId: number, options: WithReason): Promise<string> {
  return changing(
    config,
    asCommand('PartnerSecretOpened', options),
    ({ masterKey, ...context }) =>
      change(context, async (connection) => {
        const sealed = await findSecret(connection, 'partner', clientId);
        if (sealed === undefined) throw new Failure(`There is no partner ${clientId}.`);
        const secret = sealed === null ? undefined : openSecret(masterKey, ownerOf('partner', clientId), sealed);
        if (secret === undefined) {
          throw new Failure(`The secret of partner ${clientId} does not open with this SECRETS_KEY.`);
        }
        const target = { kind: 'partner', id: String(clientId) };
        return { answer: secret, clientId, changed: { target, before: null, after: { secret_opened: true } } };
      }),
    {},
  );
}
