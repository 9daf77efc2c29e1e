import { connectionsAllowed } from '../edge/connections.ts';
import type { EdgeLimits } from '../edge/services.ts';
import { openIdProvider } from '../people/openid.ts';
import { networksOf } from '../primitives/networks.ts';
import { approvalLimitsOf, arePrivateAddressesAllowed, type Config, isRequired } from './config.ts';

/** The part of the edge that depends only on the settings. */
export const edgeConfig = (config: Config) => ({
  openId: openIdOf(config),
  sessionRules: {
    idleMin: config.SESSION_IDLE_MIN,
    hours: config.SESSION_HOURS,
    isSecondFactorNeeded: isRequired(config, 'STAFF_MFA'),
  },
  arePrivateAddressesAllowed: arePrivateAddressesAllowed(config),
  approvalLimits: approvalLimitsOf(config),
  jobQuota: { jobs: config.JOB_QUOTA, bytes: config.JOB_QUOTA_MIB * 2 ** 20 },
  isConfirmationNeeded: isRequired(config, 'STAFF_CONFIRMATION'),
  rate: { limit: config.RATE_LIMIT, burst: config.RATE_BURST },
  itemRate: { limit: config.ITEM_RATE_LIMIT, burst: config.ITEM_RATE_BURST },
  limits: edgeLimits(config),
  trustedProxies: config.TRUSTED_PROXIES && networksOf(config.TRUSTED_PROXIES),
});

function openIdOf({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret }: Config) {
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return openIdProvider({ issuer, clientId, clientSecret });
}

const mebibyte = 1024 * 1024;

const edgeLimits = (config: Config): EdgeLimits => ({
  connections: connectionsAllowed(config.MAX_CONNECTIONS),
  deadlineMs: config.REQUEST_DEADLINE_MS,
  timeoutMs: config.CALLER_TIMEOUT_MS,
  bodyBytes: config.BODIES_MIB * mebibyte,
  answerBytes: config.ANSWERS_MIB * mebibyte,
});
