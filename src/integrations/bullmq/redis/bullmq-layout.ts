/**
 * What this folder reads and changes of BullMQ's own keys, as version 6.7 lays them out. Check it when BullMQ changes.
 * `paused` is a list of version 5: since 6, a paused queue keeps its jobs where they are.
 */

/**
 * Keys of the lists (`wait`, `active`) and sorted sets that hold the ids of jobs; a new job has a priority, and is in
 * `prioritized`. `marker` wakes a worker that waits for jobs.
 */
export function jobListKeys(toKey: (name: string) => string) {
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

/** Priorities of jobs: those with a lower one come first, so polls come before new rows. */
export const pollPriority = 0;
export const submitPriority = 1;

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
