import { fields } from '../fields.ts';
import { removeJob, reopenJob } from '../keys.ts';
import {
  recordCharge,
  nextNumber,
  pauseQueue,
  resumesOf,
  setStatus,
  statusAndTurn,
  changeLimit,
  luaScript,
} from './lua.ts';
import { learn, remember, settle } from './spend.ts';

/**
 * Moves a row to another status with its new state: after an accepted or failed submission, a poll, or its end. Frees
 * its slot, settles its reservation, and records the end of the row for those who wait for results. If the service has
 * rejected a row for a reason that concerns all, pauses the queue, so that the slot that is free now is not taken for
 * another rejection. A submission that was admitted before the queue was resumed does not pause it again.
 *
 * `limit` is the number of slots that the service has reported, which is true also if the row is not moved; or else a
 * hint, `more` after a success and `less` after a rejection, which counts once, with the move; or empty.
 *
 * `reported` is the largest charge that any response to the submission has reported, or 0. `charge` is the sum of those that count.
 *
 * `before` is the status that the row must have, `pause` the reason of a pause or empty, and `channel` the one for
 * ended rows.
 * Returns 1, or 0 if the status or turn of the row has changed.
 */
export const move = luaScript(
  {
    keys: [
      'row',
      'counts',
      'results',
      'meta',
      'spend',
      'charges',
      'estimates',
      'reservations',
      'units',
      'slots',
      'clock',
    ],
    args: [
      'id',
      'before',
      'turn',
      'to',
      'state',
      'key',
      'path',
      'money',
      'charge',
      'task',
      'reported',
      'limit',
      'pause',
      'channel',
    ],
  },
  `${statusAndTurn}${setStatus}${pauseQueue}${settle}${learn}${recordCharge}${changeLimit}${nextNumber}${resumesOf}
local is_hint = limit == 'more' or limit == 'less'
if limit ~= '' and not is_hint then report_limit(clock, limit) end
if redis.call('EXISTS', row) == 0 then return 0 end
local from = status_of(row)
if from ~= before or turn_of(row) ~= turn then return 0 end
if is_hint then guess_limit(clock, limit) end
set_status(row, counts, from, to)
redis.call('HSET', row, '${fields.state}', state)
redis.call('ZREM', slots, row)
if reported ~= '0' or money == 'charged' or money == 'lost' then
  local price = reported ~= '0' and reported or charge
  learn(price)
  record_charge(charges, path, price)
  if money ~= 'charged' and money ~= 'lost' then raise_estimate(price) end
end
settle(money, charge, task)
local is_outdated = from ~= 'running'
  and (redis.call('HGET', row, '${fields.resumes}') or resumes_of(meta)) ~= resumes_of(meta)
if pause ~= '' and not is_outdated then pause_queue(meta, pause) end
if to == 'succeeded' or to == 'failed' or to == 'unknown' then
  local number = next_number(redis.call('HGET', counts, 'ended'))
  redis.call('HSET', counts, 'ended', number)
  redis.call('ZADD', results, number, id)
  redis.call('PUBLISH', channel, id)
end
return 1
`,
);

/**
 * Removes a row, its result and its job, even while a worker has its lock: the worker then finds no row. A reservation
 * is spent, because its submission may have been charged, unless the row has spent under this key already. The charge
 * of a chat is remembered: its worker may not know yet that it is recorded, and must not count it again.
 *
 * `key` and `turn` are what the caller has read.
 * Returns 'removed', also if there is no such row; the status that does not allow it; or 'changed' if the row was
 * submitted or retried since the caller has read it.
 */
export const remove = luaScript(
  {
    keys: [
      'row',
      'counts',
      'results',
      'spend',
      'charges',
      'late',
      'estimates',
      'reservations',
      'units',
      'wait',
      'active',
      'prioritized',
      'delayed',
      'completed',
      'failed',
    ],
    args: ['id', 'key', 'turn'],
  },
  `${statusAndTurn}${setStatus}${settle}${remember}${removeJob}
if redis.call('EXISTS', row) == 0 then return 'removed' end
local from = status_of(row)
if from == 'submitting' or from == 'running' then return from end
if turn ~= turn_of(row) then return 'changed' end
set_status(row, counts, from, 'waiting')
remember_recorded()
settle('accepted', '0', '')
redis.call('ZREM', results, id)
remove_job(row, id, {wait, active}, {prioritized, delayed, completed, failed})
return 'removed'
`,
);

/**
 * Reopens a failed or unknown row: moves it to another status with a new state, and its job from BullMQ's failed
 * jobs to the delayed ones, due now. The charge of a chat is remembered, as in the script `remove`.
 *
 * `turn` is what the caller has read. `retry` is a unique id: a connection that was lost before the reply runs the script
 * again, possibly after the row has failed again, and must not retry it twice.
 * Returns 'ok', the status that does not allow it, 'missing', or 'busy' while a worker still records the failure, or if
 * the row was retried since the caller has read it.
 */
export const retry = luaScript(
  {
    keys: [
      'row',
      'counts',
      'results',
      'spend',
      'charges',
      'late',
      'estimates',
      'reservations',
      'units',
      'failed',
      'delayed',
      'marker',
    ],
    args: ['id', 'to', 'state', 'key', 'money', 'charge', 'task', 'priority', 'turn', 'retry'],
  },
  `${statusAndTurn}${setStatus}${settle}${remember}${reopenJob}
if redis.call('EXISTS', row) == 0 then return 'missing' end
if redis.call('HGET', row, '${fields.retry}') == retry then return 'ok' end
local from = status_of(row)
if from ~= 'failed' and from ~= 'unknown' then return from end
if turn ~= turn_of(row) then return 'busy' end
if not reopen_job() then return 'busy' end
set_status(row, counts, from, to)
remember_recorded()
settle(money, charge, task)
redis.call('HINCRBY', row, '${fields.turn}', 1)
redis.call('HSET', row, '${fields.retry}', retry, '${fields.state}', state)
redis.call('ZREM', results, id)
return 'ok'
`,
);
