// How many connections all webhooks of a process may have open together. A slow receiver that responds in the end gets
// up to 128 of them, and keeps each for seconds. Every webhook has a share of up to 16 that the others can't use, so that slow
// receivers never take the connections of healthy ones. Connections beyond the shares go to the webhook that asks first. Every
// webhook can always open one connection.

export interface Sockets {
  /** Connections that are open, and those about to be made. */
  open(): number;
  limit: number;
  /** A webhook has its share until it leaves. */
  join(): WebhookSockets;
}

export interface WebhookSockets {
  /** Counts a connection. Returns a function to call when it is closed. */
  begin(): () => void;
  /** Whether the webhook may open another connection. */
  hasRoom(): boolean;
  leave(): void;
}

const widestShare = 16;

export function limitSockets(limit: number): Sockets {
  let open = 0;
  let webhooks = 0;
  // At most half of all connections are set aside as shares.
  const share = () => Math.max(1, Math.min(widestShare, Math.floor(limit / 2 / webhooks)));
  return {
    open: () => open,
    limit,
    join() {
      let own = 0;
      webhooks += 1;
      return {
        begin() {
          open += 1;
          own += 1;
          return () => {
            open -= 1;
            own -= 1;
          };
        },
        hasRoom() {
          if (own === 0) return true;
          const setAside = own < share() ? 0 : share() * (webhooks - 1);
          return open < limit - setAside;
        },
        leave() {
          webhooks -= 1;
        },
      };
    },
  };
}
