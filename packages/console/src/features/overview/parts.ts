/** Parts of the overview that a figure above them leads to, by their place in the address. */
export const parts = { live: 'live', webhooks: 'webhooks', lists: 'lists' };
