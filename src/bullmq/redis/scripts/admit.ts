import { addedField } from '../bullmq-layout.ts';
import { nextNumber, pauseQueue, setStatus } from './functions.ts';
import { advance, leaseTicks } from './leases.ts';
import { luaScript } from './lua-script.ts';

/**
 * Lets a row submit, if the queue is not paused, the budget covers the price and a slot is free. Marks it as
 * submitting, reserves the price and leases the slot. Pauses the queue when the budget is used up; while other rows are
 * submitting, which may free a part of it, the row waits instead.
 *
 * A lease is named after the key of its row, because queues that share the slots of an account can have equal ids.
 *
 * Without a reported limit, the queue starts with one request at a time, adds one after each success, and halves after a
 * rejection for lack of a slot. A reported limit of 0 counts as 1, because otherwise no response would ever report another
 * one.
 *
 * A row that was submitted, retried, or removed and added again since the caller has read it is refused: what the
 * caller would send is out of date.
 *
 * `budget` is empty without a limit. `turn` and `added` are what the caller has read. `attempt` is unique: a connection
 * that was lost before the reply runs the script again, and must receive the turn that it has taken.
 * Returns the reason why not, or 'ok' and the turn.
 */
export const admit = luaScript(
  {
    keys: ['row', 'counts', 'meta', 'spend', 'reservations', 'slots', 'clock'],
    args: ['id', 'price', 'budget', 'turn', 'added', 'attempt'],
  },
  `${setStatus}${pauseQueue}${advance}${nextNumber}
price = tonumber(price)
if redis.call('EXISTS', row) == 0 then return {'gone'} end
local from = redis.call('HGET', row, 'pg:status') or 'waiting'
if from ~= 'waiting' and from ~= 'submitting' then return {'gone'} end
local current = redis.call('HGET', row, 'pg:turn') or '0'
if from == 'submitting' and redis.call('HGET', row, 'pg:admission') == attempt .. ' ' .. current then
  redis.call('ZADD', slots, advance(clock), row)
  return {'ok', current}
end
if turn ~= current then return {'gone'} end
if added ~= redis.call('HGET', row, '${addedField}') then return {'gone'} end
if redis.call('HEXISTS', meta, 'paused') == 1 then return {'paused'} end
local reserved = redis.call('HGET', reservations, id)
if budget ~= '' and not reserved then
  local free = tonumber(budget) - (redis.call('HGET', spend, 'spent') or 0)
  local available = free - (redis.call('HGET', spend, 'reserved') or 0)
  if price > available or available <= 0 then
    local submitting = tonumber(redis.call('HGET', counts, 'submitting') or 0)
    if price <= free and free > 0 and submitting > 0 then return {'full'} end
    pause_queue(meta, 'budget')
    return {'paused'}
  end
end
local tick = advance(clock)
redis.call('ZREMRANGEBYSCORE', slots, '-inf', tick - ${leaseTicks})
local limit = math.max(1, tonumber(redis.call('HGET', clock, 'limit') or 1))
if not redis.call('ZSCORE', slots, row) and redis.call('ZCARD', slots) >= limit then return {'full'} end
redis.call('ZADD', slots, tick, row)
if not reserved then
  redis.call('HSET', reservations, id, price)
  redis.call('HINCRBY', spend, 'reserved', price)
end
set_status(row, counts, from, 'submitting')
local next_turn = next_number(turn)
redis.call('HSET', row, 'pg:turn', next_turn, 'pg:admission', attempt .. ' ' .. next_turn)
return {'ok', next_turn}
`,
);
