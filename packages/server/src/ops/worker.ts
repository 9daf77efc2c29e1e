import type { Logger } from 'pino';
import { probeNodes, watchActivePartners } from '../background/active.ts';
import { combineWork } from '../background/sql/work.ts';
import type { NodePools } from '../engine/connection.ts';
import type { BackgroundWork } from '../engine/repeat.ts';
import { activity } from '../events/activity/sql.ts';
import { startActivityReader } from '../events/activity/work.ts';
import { startRetention } from '../events/feed/work.ts';
import { keepPace, limitSockets, type Sockets } from '../events/webhooks/attempt.ts';
import { courierTimes } from '../events/webhooks/courier.ts';
import { deliveries } from '../events/webhooks/sql/courier.ts';
import { startDelivery } from '../events/webhooks/work.ts';
import type { ReferenceWatch } from '../partners/reference/reference.ts';
import { startStaffRemoval } from '../people/work.ts';
import type { Signal } from '../primitives/signal.ts';
import { version } from '../primitives/version.ts';
import type { Lanes } from '../promo/batch/command.ts';
import type { CampaignDefinitions } from '../promo/campaigns/sql/definitions.ts';
import { startExposureRemoval } from '../promo/drafts/work.ts';
import { expiry } from '../promo/free-bets/sql.ts';
import { startSweeper } from '../promo/free-bets/work.ts';
import { type RemovalResources as JobRemovalResources, startJobRemoval } from '../promo/jobs/removal.ts';
import { jobsToRemove, runnableJobs } from '../promo/jobs/sql/work.ts';
import { startJobs } from '../promo/jobs/work.ts';
import { arePrivateAddressesAllowed, type Config } from './config.ts';
import type { Metrics } from './metrics.ts';
import { webhookConnectionsAllowed } from './open-files.ts';

// Starts and stops all background work: webhooks, expiry, jobs, activity, and the removal of old rows. Several servers
// may do it at the same time.

interface WorkerParts {
  pools: NodePools;
  isDatabaseUp(): boolean;
  onFault(error: unknown): void;
  reference: ReferenceWatch;
  metrics: Metrics;
  definitions: CampaignDefinitions;
  lanes: Lanes;
  /** Emitted when this server has committed changes of a partner, which may include events. */
  committed: Signal<[clientId: number]>;
}

/** The webhook attempts per second while requests use all processor time. 500 attempts cost a tenth of it. */
const attemptsPerSecondWhenBusy = 500;
/** All kinds of work that keep a partner active. */
export const allWork = combineWork([expiry, runnableJobs, jobsToRemove, activity, deliveries]);

const removalPauseMs = 3600 * 1000;
const jobRemovalPauseMs = 5000;

const logFailedJob = (log: Logger) => (client_id: number, job_id: string) =>
  log.error({ client_id, job_id }, 'job failed');

export function startWorker(config: Config, log: Logger, parts: WorkerParts): BackgroundWork {
  const { isDatabaseUp, lanes, metrics, reference, onFault, definitions, committed } = parts;
  const probe = probeNodes(parts.pools.nodes);
  const pools = { ...parts.pools, isUnresponsive: probe.isUnresponsive };
  const partners = watchActivePartners({ pools, work: allWork, probe, isDatabaseUp, committed, onFault });
  const shared = { pools, isDatabaseUp, onFault, active: partners.current };
  const isSandbox = (clientId: number) => reference.current().catalogue.isSandbox(clientId);
  const sweeper = startSweeper(
    { ...shared, lanes, isSandbox, onCaughtUp: metrics.sweeperStarts() },
    { batchSize: Math.min(config.SWEEP_BATCH, config.LANE_QUEUE), pauseMs: config.SWEEP_PAUSE_MS },
  );
  const jobs = startJobs({
    ...shared,
    lanes,
    followChanges: reference.follow,
    observer: { ...metrics.jobs, failed: logFailedJob(log), fault: onFault },
  });
  metrics.jobs.runningIs(jobs.running);
  const removals = startRemovals(config, { ...shared, lanes });
  const counting = startActivityReader({ ...shared, isBusy: lanes.isBusy, committed });
  const pace = keepPace(lanes.isBusy, attemptsPerSecondWhenBusy, onFault);
  const changes = {
    failing: (client_id: number, reason: string) => log.warn({ client_id, reason }, 'webhook failing'),
    worksAgain: (client_id: number) => log.info({ client_id }, 'webhook works again'),
    turnedOff: (client_id: number, reason: string) => log.warn({ client_id, reason }, 'webhook turned off'),
  };
  const delivery = startDelivery(
    {
      ...shared,
      definitions,
      committed,
      pace,
      sockets: measuredSockets(config, metrics),
      signerOf: (clientId) => reference.current().callers.partners.get(clientId),
      observer: { ...metrics.webhooks, ...changes, fault: onFault },
    },
    {
      allowPrivate: arePrivateAddressesAllowed(config),
      timeoutMs: config.WEBHOOK_TIMEOUT_MS,
      scheduleMs: config.WEBHOOK_RETRIES_S,
      userAgent: `freebets/${version}`,
      ...courierTimes,
    },
  );
  return {
    async stop() {
      const all = [partners, delivery, sweeper, jobs, counting, pace, ...removals];
      await Promise.all(all.map((each) => each.stop()));
    },
  };
}

/** The removal of old rows. */
function startRemovals(config: Config, resources: JobRemovalResources): BackgroundWork[] {
  const { pools, isDatabaseUp, onFault } = resources;
  const onUsual = { pool: pools.usual, isDatabaseUp, onFault };
  const { SESSION_IDLE_MIN: idleMin, SESSION_HOURS: hours } = config;
  return [
    startRetention({ pools, isDatabaseUp, onFault }, { keptDays: config.EVENTS_KEPT_DAYS, pauseMs: removalPauseMs }),
    startJobRemoval(resources, jobRemovalPauseMs),
    startExposureRemoval(onUsual, removalPauseMs),
    startStaffRemoval(onUsual, { idleMin, hours, pauseMs: removalPauseMs }),
  ];
}

function measuredSockets(config: Config, metrics: Metrics): Sockets {
  const sockets = limitSockets(webhookConnectionsAllowed(config.WEBHOOK_CONNECTIONS));
  metrics.webhooks.socketsAre(sockets);
  return sockets;
}
