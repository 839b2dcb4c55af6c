import { fields } from '../fields.ts';
import { recordCharge } from './charges.ts';
import { nextNumber, pauseQueue, resumesOf, setStatus, statusAndTurn } from './functions.ts';
import { changeLimit } from './limit.ts';
import { luaScript } from './lua-script.ts';
import { settle } from './settle.ts';

/**
 * Moves a row to another status with its new state: after an accepted or failed submission, a poll, or its end. Frees
 * its slot, settles its reservation, and records the end of the row for those who wait for results. If the service has
 * rejected a row for a reason that concerns all, pauses the queue, so that the slot that is free now is not taken for
 * another rejection. A submission that was admitted before the queue was resumed does not pause it again.
 *
 * `limit` is the number of slots that the service has reported, which is true also if the row is not moved; or else a
 * hint, `more` after a success and `less` after a rejection, which counts once, with the move; or empty.
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
      'reservations',
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
      'reservation',
      'charge',
      'task',
      'limit',
      'pause',
      'channel',
    ],
  },
  `${statusAndTurn}${setStatus}${pauseQueue}${settle}${recordCharge}${changeLimit}${nextNumber}${resumesOf}
local is_hint = limit == 'more' or limit == 'less'
if limit ~= '' and not is_hint then report_limit(clock, limit) end
if redis.call('EXISTS', row) == 0 then return 0 end
local from = status_of(row)
if from ~= before or turn_of(row) ~= turn then return 0 end
if is_hint then guess_limit(clock, limit) end
set_status(row, counts, from, to)
redis.call('HSET', row, '${fields.state}', state)
redis.call('ZREM', slots, row)
settle(reservation, charge, task)
if reservation == 'replace' then record_charge(charges, path, charge) end
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
