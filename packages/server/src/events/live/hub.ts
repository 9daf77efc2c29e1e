import type { LiveMessages } from '@freebets/contract';
import { noPartner } from '../../audit/sql.ts';
import { pause } from '../../engine/repeat.ts';
import { ask } from '../../engine/statement.ts';
import type { Signal } from '../../primitives/signal.ts';
import { findCampaignsToSend, type LiveSource, readChanged, readFigures, readHappened } from './reading.ts';
import { type Heads, readDatabaseTag, readHeads, readHeadsOfActive } from './sql.ts';

// One hub per server. While there are listeners, it polls the positions of the partners a few times a second, reads
// each new event and audit record once, and sends them to all listeners that may see them. Without listeners it does
// nothing.
//
// Every event and audit record marks its partner active, for longer than `allMs`. So most polls read active partners
// only. A poll every `allMs` reads all, including partners that became inactive while the database was unavailable.
//
// Listeners of the same partners form a group and are sent the same bytes: everything after the position that the hub
// had read when they joined. Positions belong to one database. Each poll reads the tag of the database first. If the
// tag has changed, such as after a restore, all listeners are sent `reset` and read everything again.

export interface HubResources extends LiveSource {
  isDatabaseUp(): boolean;
  committed: Pick<Signal<[clientId: number]>, 'subscribe'>;
  onFault(error: unknown): void;
}

export interface Listener {
  /** Listeners share the buffer, so it must not be changed. */
  send(frame: Buffer): void;
  /** No more messages follow. */
  end(): void;
}

/** The last event and the last audit record of a partner. */
interface Position {
  event: number;
  audit: number;
}

const start: Position = { event: 0, audit: 0 };

export interface Hub {
  /** `partners` is null for all partners. Returns a function that leaves the hub. */
  join(partners: readonly number[] | null, listener: Listener): Promise<() => void>;
  /** Ends all streams at once. */
  stop(): Promise<void>;
}

interface Group {
  partners: ReadonlySet<number> | null;
  listeners: Set<Listener>;
}

interface Run {
  stopping: AbortController;
  /** Resolves once the positions have been read. */
  begun: Promise<void>;
}

interface State {
  resources: HubResources;
  groups: Map<string, Group>;
  /** The tag of the database that the positions are from. After a restore, the same numbers belong to other events. */
  database: string;
  /** By partner; `noPartner` (0) has the changes of no partner. */
  known: Map<number, Position>;
  /** When the last poll of all partners began that sent everything new. */
  allReadAt: number;
  run: Run | undefined;
  /** Resolves when the latest run has ended. */
  ended: Promise<void>;
  /** Partners with events since their figures were last sent. */
  pendingFigures: Map<number, { after: number; through: number }>;
  sendingFigures: Promise<void> | undefined;
  figuresSentAt: number;
}

const pollMs = 400;
/** Must be shorter than the time for which a change keeps a partner active. */
const allMs = 30_000;
const minPauseMs = 100;
const pingMs = 15_000;
const figuresMs = 1000;

export function openHub(resources: HubResources): Hub {
  const state: State = {
    resources,
    groups: new Map(),
    database: '',
    known: new Map(),
    allReadAt: Number.NEGATIVE_INFINITY,
    run: undefined,
    ended: Promise.resolve(),
    pendingFigures: new Map(),
    sendingFigures: undefined,
    figuresSentAt: Number.NEGATIVE_INFINITY,
  };
  let isStopped = false;
  return {
    async join(partners, listener) {
      if (isStopped) {
        listener.end();
        return () => {};
      }
      // While this call waits, the other listeners may all leave, and the run may end.
      for (let run: Run | undefined; run === undefined || (run.stopping.signal.aborted && !isStopped); ) {
        state.run ??= beginRun(state);
        run = state.run;
        await run.begun;
      }
      if (isStopped) listener.end();
      return joinGroup(state, partners, listener);
    },
    async stop() {
      isStopped = true;
      for (const { listeners } of state.groups.values()) for (const listener of [...listeners]) listener.end();
      state.run?.stopping.abort();
      await state.ended;
    },
  };
}

function joinGroup(state: State, partners: readonly number[] | null, listener: Listener): () => void {
  const key = partners === null ? 'all' : partners.join(' ');
  const group = state.groups.get(key) ?? newGroup(partners);
  state.groups.set(key, group);
  group.listeners.add(listener);
  return () => {
    // The group may have left the map already, and a new group may have its key.
    if (!group.listeners.delete(listener)) return;
    if (group.listeners.size === 0) state.groups.delete(key);
    if (state.groups.size === 0) state.run?.stopping.abort();
  };
}

const newGroup = (partners: readonly number[] | null): Group => ({
  partners: partners && new Set([...partners, noPartner]),
  listeners: new Set(),
});

const includesPartner = ({ partners }: Group, clientId: number): boolean => partners === null || partners.has(clientId);

const hasListeners = ({ groups }: State, clientId: number): boolean =>
  groups.values().some((group) => includesPartner(group, clientId));

/** Runs until the last listener leaves. The next listener starts another run. */
function beginRun(state: State): Run {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Waits for the previous run, whose messages must not follow newer ones.
  const begun = state.ended.then(() => readKnown(state));
  const run: Run = { stopping, begun };
  signal.addEventListener('abort', () => {
    if (state.run === run) state.run = undefined;
  });
  state.ended = begun.then(
    () => pollUntilStopped(state, signal),
    () => stopping.abort(),
  );
  return run;
}

async function readKnown(state: State): Promise<void> {
  const { pool } = state.resources;
  const askedAt = performance.now();
  // Read first: if the database is replaced meanwhile, positions of the old one must not get the tag of the new one.
  state.database = await ask(pool, readDatabaseTag());
  const heads = await ask(pool, readHeads());
  state.allReadAt = askedAt;
  state.known = new Map(heads.map(({ client_id, event, audit }) => [client_id, { event, audit }]));
  state.pendingFigures.clear();
}

async function pollUntilStopped(state: State, signal: AbortSignal): Promise<void> {
  const { isDatabaseUp, committed, onFault } = state.resources;
  const pinging = setInterval(() => publishToAll(state, 'ping'), pingMs).unref();
  let hurrying = new AbortController();
  const unsubscribe = committed.subscribe((clientId) => {
    if (hasListeners(state, clientId)) hurrying.abort();
  });
  while (!signal.aborted) {
    hurrying = new AbortController();
    try {
      if (isDatabaseUp()) await poll(state, signal);
    } catch (error) {
      onFault(error);
    }
    await pause(minPauseMs, signal);
    await pause(pollMs - minPauseMs, AbortSignal.any([signal, hurrying.signal]));
  }
  unsubscribe();
  clearInterval(pinging);
  await state.sendingFigures;
}

async function poll(state: State, signal: AbortSignal): Promise<void> {
  const { pool, isDatabaseUp, onFault } = state.resources;
  if ((await ask(pool, readDatabaseTag())) !== state.database) return resetListeners(state);
  const askedAt = performance.now();
  const isPollOfAll = askedAt - state.allReadAt >= allMs;
  const heads = isPollOfAll ? await ask(pool, readHeads()) : await readHeadsOfActive(pool);
  for (const { client_id, event, audit } of heads.filter((each) => isNew(state, each))) {
    // One partner's faulty data must not hold up the events of the others. The next poll reads that data again.
    await readNew(state, client_id, { event, audit }).catch(onFault);
    if (signal.aborted || !isDatabaseUp()) return;
  }
  if (isPollOfAll) state.allReadAt = askedAt;
  if (
    state.pendingFigures.size > 0 &&
    state.sendingFigures === undefined &&
    performance.now() - state.figuresSentAt >= figuresMs
  ) {
    state.sendingFigures = sendFigures(state, signal).finally(() => {
      state.sendingFigures = undefined;
      state.figuresSentAt = performance.now();
    });
  }
}

/** The database was restored or replaced, so the events that listeners missed are unknown. */
async function resetListeners(state: State): Promise<void> {
  await readKnown(state);
  publishToAll(state, 'reset');
}

function isNew({ known }: State, { client_id, event, audit }: Heads): boolean {
  const position = known.get(client_id) ?? start;
  return event !== position.event || audit !== position.audit;
}

async function readNew(state: State, clientId: number, head: Position): Promise<void> {
  const { resources, known, pendingFigures } = state;
  const { event, audit } = known.get(clientId) ?? start;
  // A standby that took over may lack the last events. Listeners continue from where it is.
  const isBehind = head.event < event || head.audit < audit;
  if (!isBehind && hasListeners(state, clientId)) {
    if (head.event > event) {
      const message = await readHappened(resources, clientId, event, head.event);
      const { after } = pendingFigures.get(clientId) ?? { after: event };
      pendingFigures.set(clientId, { after, through: head.event });
      // If reading the changes fails, the next poll must not send the events again.
      known.set(clientId, { event: head.event, audit });
      publish(state, clientId, 'happened', message);
    }
    const message = head.audit > audit ? await readChanged(resources, clientId, audit, head.audit) : undefined;
    if (message !== undefined) publish(state, clientId, 'changed', message);
  }
  known.set(clientId, head);
}

/** Reading figures takes longer, and must not hold up the other messages. */
async function sendFigures(state: State, signal: AbortSignal): Promise<void> {
  const { resources, pendingFigures } = state;
  for (const [clientId, { after, through }] of [...pendingFigures]) {
    pendingFigures.delete(clientId);
    if (signal.aborted || !hasListeners(state, clientId)) continue;
    try {
      const touched = await findCampaignsToSend(resources, clientId, after, through);
      const message = await readFigures(resources, clientId, touched);
      if (message !== undefined) publish(state, clientId, 'figures', message);
    } catch (error) {
      resources.onFault(error);
    }
  }
}

function publish<N extends keyof LiveMessages>(state: State, clientId: number, name: N, data: LiveMessages[N]): void {
  const frame = frameOf(name, data);
  for (const group of state.groups.values()) if (includesPartner(group, clientId)) send(group, frame);
}

function publishToAll(state: State, name: 'ping' | 'reset'): void {
  const frame = frameOf(name, {});
  for (const group of state.groups.values()) send(group, frame);
}

function send({ listeners }: Group, frame: Buffer): void {
  for (const listener of [...listeners]) listener.send(frame);
}

/** Formats a message. Browsers send the id when they reconnect. */
export const frameOf = <N extends keyof LiveMessages>(name: N, data: LiveMessages[N]): Buffer =>
  Buffer.from(`id: 0\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
