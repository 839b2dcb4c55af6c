import { fields } from '../fields.ts';
import { addedField } from '../keys.ts';
import {
  addUnpriced,
  removeUnpriced,
  nextNumber,
  pauseQueue,
  resumesOf,
  setStatus,
  statusAndTurn,
  advance,
  leaseTicks,
  limitOf,
  luaScript,
} from './lua.ts';
import { spendText } from './spend.ts';

/**
 * Lets a row submit, if the queue is not paused, the budget covers it and a slot is free. Marks it as submitting,
 * reserves `amount` and leases the slot. A row that has a reservation, because it may have been charged, keeps it, and is sent
 * also at the limit.
 *
 * Whether the budget covers the row is decided before, by the rule of a batch: `decision` is `held`, `wait` for
 * submissions in flight, or `exceeded`, which pauses the queue. It holds only as long as nothing has changed since it
 * was made: `seen` is the `spend_text` from which it was made, and empty without a limit.
 *
 * A lease is named after the key of its row, because queues that share the slots of an account can have equal ids.
 *
 * A row that was submitted, retried, or removed and added again since the caller has read it is refused: what the
 * caller would send is out of date.
 *
 * `paying` is what the row pays for, or empty. `unpriced` is the path of a row that may be charged although it reserves
 * nothing, or empty. `turn` and `added` are what the caller has read. `admission` is a unique id: a connection that was lost
 * before the reply runs the script again, and must receive the turn that it has taken.
 * Returns 'ok' and the turn, or why the row may not submit: see `Refusal`.
 */
export const admit = luaScript(
  {
    keys: ['row', 'counts', 'meta', 'spend', 'charges', 'reservations', 'units', 'slots', 'clock'],
    args: ['id', 'seen', 'decision', 'amount', 'paying', 'unpriced', 'turn', 'added', 'admission'],
  },
  `${statusAndTurn}${setStatus}${pauseQueue}${spendText}${addUnpriced}${advance}${limitOf}${nextNumber}${resumesOf}
if redis.call('EXISTS', row) == 0 then return {'gone'} end
local from = status_of(row)
if from ~= 'waiting' and from ~= 'submitting' then return {'gone'} end
local current = turn_of(row)
if from == 'submitting' and redis.call('HGET', row, '${fields.admission}') == admission .. ' ' .. current then
  redis.call('ZADD', slots, advance(clock), row)
  return {'ok', current}
end
if turn ~= current then return {'gone'} end
if added ~= redis.call('HGET', row, '${addedField}') then return {'gone'} end
local reserved = redis.call('HGET', reservations, id)
local paused = redis.call('HGET', meta, 'paused')
-- A row with a reservation may have been charged, and costs no more than that.
if paused and not (paused == 'budget' and reserved) then
  return {paused == 'budget' and decision == 'exceeded' and 'used-up' or 'paused'}
end
if seen ~= '' and not reserved then
  if seen ~= spend_text(counts, spend, charges) then return {'changed'} end
  if decision == 'wait' then return {'full'} end
  if decision == 'exceeded' then
    pause_queue(meta, 'budget')
    return {'exceeded'}
  end
end
local tick = advance(clock)
redis.call('ZREMRANGEBYSCORE', slots, '-inf', tick - ${leaseTicks})
if not redis.call('ZSCORE', slots, row) and redis.call('ZCARD', slots) >= limit_of(clock) then
  return {'full'}
end
redis.call('ZADD', slots, tick, row)
if not reserved then
  redis.call('HSET', reservations, id, amount)
  redis.call('HINCRBY', spend, 'reserved', amount)
  if paying ~= '' then redis.call('HSET', units, id, paying) end
  if unpriced ~= '' then add_unpriced(row, charges, unpriced) end
end
set_status(row, counts, from, 'submitting')
local next_turn = next_number(turn)
redis.call('HSET', row, '${fields.turn}', next_turn, '${fields.admission}', admission .. ' ' .. next_turn)
redis.call('HSET', row, '${fields.resumes}', resumes_of(meta))
return {'ok', next_turn}
`,
);

/**
 * Reserves more for a row that is being submitted, because its attempts so far were charged. Whether the budget covers it is
 * decided before, as for `admit`. Returns 'ok', 'changed' if the decision does not hold anymore, or 'gone'.
 */
export const reserveMore = luaScript(
  {
    keys: ['row', 'counts', 'spend', 'charges', 'reservations'],
    args: ['id', 'seen', 'amount', 'turn'],
  },
  `${statusAndTurn}${spendText}${removeUnpriced}
if status_of(row) ~= 'submitting' or turn_of(row) ~= turn then return 'gone' end
if seen ~= spend_text(counts, spend, charges) then return 'changed' end
redis.call('HINCRBY', reservations, id, amount)
redis.call('HINCRBY', spend, 'reserved', amount)
remove_unpriced(row, charges, true)
return 'ok'
`,
);
