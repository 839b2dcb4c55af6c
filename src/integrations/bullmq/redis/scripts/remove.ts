import { removeJob } from '../bullmq-layout.ts';
import { setStatus, statusAndTurn } from './functions.ts';
import { remember } from './late-charge.ts';
import { luaScript } from './lua-script.ts';
import { settle } from './settle.ts';

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
      'reservations',
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
settle('spend', '0', '')
redis.call('ZREM', results, id)
remove_job(row, id, {wait, active}, {prioritized, delayed, completed, failed})
return 'removed'
`,
);
