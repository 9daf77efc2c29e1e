import type { OperationName } from '@freebets/contract';
import { type Answer, demo, send } from './caller.ts';

export interface Provider {
  providerId: string;
  secret: string;
}

export const lantern: Provider = { providerId: 'lantern-quay', secret: 'demo-provider-secret-1' };
export const heron: Provider = { providerId: 'copper-heron', secret: 'demo-provider-secret-2' };

/** Calls an operation as a game provider, for a player of the demo partner by default. */
export const callAs = (provider: Provider, url: string, name: OperationName, body: object): Promise<Answer> =>
  send(url, name, { provider_id: provider.providerId, client_id: demo.clientId, ...body }, { ...demo, ...provider });
