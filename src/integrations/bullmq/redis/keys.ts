import { createHash } from 'node:crypto';

import type { Queue } from 'bullmq';

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
  /** Hash: what is known about charges, by the path of the request. See `recordCharge` in `scripts/lua.ts`. */
  charges: toKey('polygate:charges'),
  /** Sorted set: which late charges were counted, by the time in s. See `lateCharge` in `scripts/spend.ts`. */
  late: toKey('polygate:late'),
  /** Hash: what is reserved for each row, by the id of its job. */
  reservations: toKey('polygate:reservations'),
  /** Hash: what a row with a reservation pays for, its price class and units, by the id of its job. */
  units: toKey('polygate:units'),
  /** Hash: what counts for keys whose charge no response has reported. See `estimateOf` in `scripts/spend.ts`. */
  estimates: toKey('polygate:estimates'),
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

/**
 * What this folder reads and changes of BullMQ's own keys, as version 6.7 lays them out. Check it when BullMQ changes.
 * `paused` is a list of version 5: since 6, a paused queue keeps its jobs where they are.
 *
 * These are the keys of the lists (`wait`, `active`) and sorted sets that hold the ids of jobs; a new job has a priority, and is in
 * `prioritized`. `marker` wakes a worker that waits for jobs.
 */
function jobListKeys(toKey: (name: string) => string) {
  return {
    wait: toKey('wait'),
    active: toKey('active'),
    prioritized: toKey('prioritized'),
    delayed: toKey('delayed'),
    completed: toKey('completed'),
    failed: toKey('failed'),
    marker: toKey('marker'),
  };
}

/** Removes a job, with the keys that BullMQ derives from its own. */
export const removeJob = `
local function remove_job(row, id, lists, sets)
  for _, jobs in ipairs(lists) do redis.call('LREM', jobs, 0, id) end
  for _, jobs in ipairs(sets) do redis.call('ZREM', jobs, id) end
  redis.call('DEL', row, row .. ':lock', row .. ':logs')
end
`;

/**
 * Moves a failed job to the delayed ones, due now. Returns false if it is not a failed one. A script with this function
 * needs the keys `row`, `failed`, `delayed` and `marker`, and the arguments `id` and `priority`, which it uses.
 */
export const reopenJob = `
local function reopen_job()
  if redis.call('ZREM', failed, id) == 0 then return false end
  redis.call('HSET', row, 'priority', priority, 'delay', 0)
  redis.call('HDEL', row, 'finishedOn', 'processedOn', 'failedReason', 'stacktrace')
  redis.call('ZADD', delayed, 0, id)
  redis.call('ZADD', marker, 0, '0')
  return true
end
`;

/** The fields of a job with its data as JSON, and with the time at which it was added, in ms. */
export const dataField = 'data';
export const addedField = 'timestamp';
