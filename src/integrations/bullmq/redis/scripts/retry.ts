import { reopenJob } from '../bullmq-layout.ts';
import { fields } from '../fields.ts';
import { setStatus, statusAndTurn } from './functions.ts';
import { remember } from './late-charge.ts';
import { luaScript } from './lua-script.ts';
import { settle } from './settle.ts';

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
      'reservations',
      'failed',
      'delayed',
      'marker',
    ],
    args: [
      'id',
      'to',
      'state',
      'key',
      'reservation',
      'charge',
      'task',
      'priority',
      'turn',
      'retry',
    ],
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
settle(reservation, charge, task)
redis.call('HINCRBY', row, '${fields.turn}', 1)
redis.call('HSET', row, '${fields.retry}', retry, '${fields.state}', state)
redis.call('ZREM', results, id)
return 'ok'
`,
);
