import { type Call, type CallOptions, type ClientOptions, callerOf, type WithRequestId } from './caller.ts';
import { type EventsOptions, eventsOf } from './events.ts';
import { type JobRunner, jobRunnerOf } from './jobs.ts';
import { List } from './lists.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import type { PartnerCalls, PartnerMethods } from './partner-methods.ts';
import type { ProviderCalls, ProviderMethods } from './provider-methods.ts';
import type { FreebetsEvent } from './things.ts';

export interface PartnerOptions extends ClientOptions {
  clientId: number;
}

export interface ProviderOptions extends ClientOptions {
  providerId: string;
}

export interface Partner extends PartnerMethods {
  jobs: PartnerMethods['jobs'] & JobRunner;
  events: PartnerMethods['events'] &
    /** Returns every event after a position in order, then new events as they happen. */
    ((options?: EventsOptions) => AsyncGenerator<FreebetsEvent, void>);
}

/** An operator platform. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor makes a method for every row of the table.
export class Partner {
  declare readonly clientId: number;
  readonly #call: Call;

  constructor(options: PartnerOptions) {
    this.clientId = options.clientId;
    this.#call = callerOf(options, { client_id: options.clientId });
    const call = this.#call;
    const { jobs, events, ...methods } = methodsOf(call) as unknown as PartnerMethods;
    Object.assign(this, methods);
    this.jobs = { ...jobs, ...jobRunnerOf(call) };
    this.events = Object.assign((following?: EventsOptions) => eventsOf(call, following), events);
  }

  /** Calls an operation by its name, such as `Issue`. */
  call<N extends keyof PartnerCalls>(name: N, request: PartnerCalls[N][0], options?: CallOptions) {
    return this.#call(name, request, options) as Promise<WithRequestId<PartnerCalls[N][1]>>;
  }
}

export interface Provider extends ProviderMethods {}

/** A game provider. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: see above.
export class Provider {
  declare readonly providerId: string;
  readonly #call: Call;

  constructor(options: ProviderOptions) {
    this.providerId = options.providerId;
    this.#call = callerOf(options, { provider_id: options.providerId });
    Object.assign(this, methodsOf(this.#call, 'provider_id'));
  }

  /** Calls an operation by its name, such as `RoundsBet`. */
  call<N extends keyof ProviderCalls>(name: N, request: ProviderCalls[N][0], options?: CallOptions) {
    return this.#call(name, request, options) as Promise<WithRequestId<ProviderCalls[N][1]>>;
  }
}

type Method = (request?: object, options?: CallOptions) => unknown;

/** Makes a method for every operation that this kind of caller may call, grouped by noun. */
function methodsOf(call: Call, caller?: Operation['caller']): Record<string, Record<string, Method>> {
  const methods: Record<string, Record<string, Method>> = {};
  for (const [key, operation] of Object.entries(operations) as [OperationName, Operation][]) {
    if (operation.caller !== caller) continue;
    const [noun = '', verb = ''] = operation.method.split('.');
    methods[noun] ??= {};
    methods[noun][verb] = (request, options) =>
      operation.list === undefined ? call(key, request, options) : new List(call, key, request, options);
  }
  return methods;
}
