import { version } from './operations.ts';

// Browsers have no `process`. There the header could make a call fail, because it needs the permission of the server.

type Versions = Partial<Record<string, string>>;

const { versions = {} } = (globalThis as { process?: { versions?: Versions } }).process ?? {};
const runtime = ['bun', 'deno', 'node'].find((name) => versions[name] !== undefined);
const isBrowser = 'document' in globalThis;

/** Such as `user-agent: freebets-client/0.2.0 node/26.10.0`; no header in a browser. */
export const userAgent: Record<string, string> =
  runtime === undefined || isBrowser
    ? {}
    : { 'user-agent': `freebets-client/${version} ${runtime}/${versions[runtime]}` };
