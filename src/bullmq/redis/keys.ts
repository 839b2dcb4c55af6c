import { createHash } from 'node:crypto';

/** Keys of what all queues of an account share. */
export interface AccountKeys {
  readonly slots: string;
  readonly clock: string;
}

/** The keys for the slots of an account. All queues with this prefix and base URL share them. */
export function accountKeys(prefix: string, baseURL: string): AccountKeys {
  const account = createHash('sha256').update(baseURL).digest('hex').slice(0, 16);
  const slots = `${prefix}:polygate:slots:${account}`;
  return { slots, clock: `${slots}:clock` };
}

/** Keys of what a queue stores in addition to its jobs. */
export function queueKeys(toKey: (name: string) => string) {
  return {
    counts: toKey('polygate:counts'),
    meta: toKey('polygate:meta'),
    spend: toKey('polygate:spend'),
    charges: toKey('polygate:charges'),
    late: toKey('polygate:late'),
    reservations: toKey('polygate:reservations'),
    results: toKey('polygate:results'),
  };
}

/** The channels on which ended rows and pauses are announced. */
export interface Channels {
  readonly ended: string;
  readonly paused: string;
}

export const channelsOf = (toKey: (name: string) => string): Channels => ({
  ended: toKey('polygate:ended'),
  paused: toKey('polygate:meta'),
});
