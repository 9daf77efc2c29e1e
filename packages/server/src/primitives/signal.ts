/** Something that happens again and again, for whoever wants to know: those who emit it and those who listen need not know of each other. */
export interface Signal<Args extends unknown[]> {
  emit(...args: Args): void;
  /** Called in the order of subscription, before `emit` returns. The answer ends the subscription. */
  subscribe(listener: (...args: Args) => void): () => void;
}

export function createSignal<Args extends unknown[]>(): Signal<Args> {
  const listeners = new Set<(...args: Args) => void>();
  return {
    emit(...args) {
      for (const listener of listeners) listener(...args);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
