/** A repeated event that decouples emitters from listeners. */
export interface Signal<Args extends unknown[]> {
  emit(...args: Args): void;
  /** `emit` calls listeners in the order of subscription before it returns. Returns a function that unsubscribes. */
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
