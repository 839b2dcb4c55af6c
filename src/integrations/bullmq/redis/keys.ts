import { createHash } from 'node:crypto';

import type { Queue } from 'bullmq';

import { jobListKeys } from './bullmq-layout.ts';

/** Whose slots a queue uses: all queues with one prefix and one base URL share them. */
interface Account {
  readonly prefix: string;
  readonly baseURL: string;
}

/** Keys of what all queues of an account share. */
function accountKeys({ prefix, baseURL }: Account) {
  const account = createHash('sha256').update(baseURL).digest('hex').slice(0, 16);
  const slots = `${prefix}:polygate:slots:${account}`;
  return {
    /** Sorted set of leases: the key of each row that holds a slot, by the tick at which it was renewed. */
    slots,
    /**
     * Hash: the `tick` of the clock of the leases, and the time in ms `at` which it began; the `limit` of slots, and
     * `reported` if the service has reported it.
     */
    clock: `${slots}:clock`,
  };
}

/** Keys of what a queue stores in addition to its jobs. Amounts are in nano-USD. */
const queueKeys = (toKey: (name: string) => string) => ({
  /** Hash: the number of rows by status, except `waiting`, and in `ended` the number of the latest end of a row. */
  counts: toKey('polygate:counts'),
  /** Hash: in `paused`, why the queue is paused, if it is; in `resumes`, how many times it has been resumed. */
  meta: toKey('polygate:meta'),
  /** Hash: the sums of all charges (`spent`) and of all reservations (`reserved`). */
  spend: toKey('polygate:spend'),
  /** Hash: what is known about charges, by the path of the request. See `scripts/charges.ts`. */
  charges: toKey('polygate:charges'),
  /** Sorted set: which late charges were counted, by the time in s. See `scripts/late-charge.ts`. */
  late: toKey('polygate:late'),
  /** Hash: what is reserved for each row, by the id of its job. */
  reservations: toKey('polygate:reservations'),
  /** Sorted set: the ids of jobs whose rows have ended, by the number of the end. */
  results: toKey('polygate:results'),
});

/** The channels on which ended rows and pauses are announced. */
export interface Channels {
  readonly ended: string;
  readonly paused: string;
}

/** Everything in Redis that belongs to a queue. */
export interface RedisKeys {
  readonly account: ReturnType<typeof accountKeys>;
  readonly queue: ReturnType<typeof queueKeys>;
  readonly lists: ReturnType<typeof jobListKeys>;
  readonly channels: Channels;
  /** Returns the key of a job, whose hash also has the `fields` of its row. */
  readonly row: (jobId: string) => string;
}

/** The keys of a queue, of which `jobs` knows those of BullMQ. */
export function redisKeys(jobs: Pick<Queue, 'toKey'>, account: Account): RedisKeys {
  const toKey = (name: string) => jobs.toKey(name);
  const queue = queueKeys(toKey);
  return {
    account: accountKeys(account),
    queue,
    lists: jobListKeys(toKey),
    channels: { ended: toKey('polygate:ended'), paused: queue.meta },
    row: toKey,
  };
}
