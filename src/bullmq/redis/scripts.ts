/**
 * The steps that must be atomic, as Lua scripts: Redis runs each one without interruption, so two processes cannot be
 * in the middle of one at the same time, and a process that dies has run it completely or not at all.
 *
 * A row is the hash of its job, with more fields:
 *
 * - `pg:status` and `pg:state`, its `RowStatus` and `RowState`.
 * - `pg:turn`, the fencing token of the latest admission or retry: only its holder may move the row. If two processes
 *   work on one row, because the first one has lost its lock, that is the one with the latest turn. A row that was
 *   deleted and added again never has a turn of the earlier one.
 * - `pg:spent` and `pg:paid`, its charge and the key under which it was charged last: see `settlement.ts`.
 */
import { settle } from '../settlement.ts';
import { luaScript } from './lua-script.ts';

/** Moves a row to another status and keeps the counts. A row without a status is waiting, and is not counted. */
const setStatus = `
local function set_status(row, counts, from, to)
  if from == to then return end
  if from ~= 'waiting' then redis.call('HINCRBY', counts, from, -1) end
  if to ~= 'waiting' then redis.call('HINCRBY', counts, to, 1) end
  redis.call('HSET', row, 'pg:status', to)
end
`;

/** How many ticks a lease of a slot lasts, unless it is renewed. */
const leaseTicks = 6;

/**
 * Advances the clock of the leases, and returns its tick. Leases expire after ticks instead of milliseconds. A tick
 * lasts a second, but only while Redis serves requests. So if Redis stops for a minute, the holders have time to renew
 * their leases afterwards. The clock of Redis can be set back.
 */
const advance = `
local function advance(clock)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if math.abs(now - (redis.call('HGET', clock, 'at') or 0)) >= 1000 then
    redis.call('HSET', clock, 'at', now)
    redis.call('HINCRBY', clock, 'tick', 1)
  end
  return tonumber(redis.call('HGET', clock, 'tick'))
end
`;

/**
 * A number above the last one, from Redis's time in µs, so that numbers never start over, even if Redis loses its
 * latest data.
 */
const nextNumber = `
local function next_number(last)
  local time = redis.call('TIME')
  return string.format('%.0f', math.max((last or 0) + 1, time[1] * 1000000 + time[2]))
end
`;

/**
 * Lets a row submit, if the queue is not paused, the budget covers the price and a slot is free. Marks it as
 * submitting, reserves the price and leases the slot. Pauses the queue when the budget is used up; while other rows are
 * submitting, which may free a part of it, the row waits instead.
 *
 * A lease is named after the key of its row, because queues that share the slots of an account can have equal ids.
 *
 * Until the service has reported its limit, one request at a time is sent. The same applies if it has reported 0,
 * because otherwise no response would ever report another limit.
 *
 * A row that was submitted, retried, or removed and added again since the caller has read it is refused: what the
 * caller would send is out of date.
 *
 * `budget` is empty without a limit. `version` is what the caller has read.
 * Returns the reason why not, or 'ok', the status before and the turn.
 */
export const admit = luaScript(
  {
    keys: ['row', 'counts', 'meta', 'spend', 'reservations', 'slots', 'clock'],
    args: ['id', 'price', 'budget', 'version'],
  },
  `${setStatus}${advance}${nextNumber}
price = tonumber(price)
if redis.call('EXISTS', row) == 0 then return {'gone'} end
local from = redis.call('HGET', row, 'pg:status') or 'waiting'
if from ~= 'waiting' and from ~= 'submitting' then return {'gone'} end
local current = (redis.call('HGET', row, 'timestamp') or '') .. ' ' .. (redis.call('HGET', row, 'pg:turn') or '0')
if version ~= current then return {'gone'} end
if redis.call('HEXISTS', meta, 'paused') == 1 then return {'paused'} end
local reserved = redis.call('HGET', reservations, id)
if budget ~= '' and not reserved then
  local free = tonumber(budget) - (redis.call('HGET', spend, 'spent') or 0)
  local available = free - (redis.call('HGET', spend, 'reserved') or 0)
  if price > available or available <= 0 then
    local submitting = tonumber(redis.call('HGET', counts, 'submitting') or 0)
    if price <= free and free > 0 and submitting > 0 then return {'full'} end
    redis.call('HSET', meta, 'paused', 'budget')
    redis.call('PUBLISH', meta, 'budget')
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
local turn = next_number(redis.call('HGET', row, 'pg:turn'))
redis.call('HSET', row, 'pg:turn', turn)
return {'ok', from, turn}
`,
);

/**
 * Moves a row to another status with its new state: after an accepted or failed submission, a poll, or its end. Frees
 * its slot, settles its reservation, and records the end of the row for those who wait for results.
 *
 * A limit is a number that the service reported, or else 'more' after a success and 'less' after a rejection, which
 * change it only if the service reports none.
 *
 * `before` is the status that the row must have, and `channel` that of ended rows.
 * Returns 1, or 0 if the status or turn of the row has changed.
 */
export const move = luaScript(
  {
    keys: ['row', 'counts', 'results', 'spend', 'reservations', 'slots', 'clock'],
    args: [
      'id',
      'before',
      'turn',
      'to',
      'state',
      'key',
      'reservation',
      'charge',
      'limit',
      'channel',
    ],
  },
  `${setStatus}${settle}${nextNumber}
if limit == 'more' or limit == 'less' then
  local current = tonumber(redis.call('HGET', clock, 'limit') or 1)
  if redis.call('HEXISTS', clock, 'reported') == 0 then
    redis.call('HSET', clock, 'limit', limit == 'more' and current + 1 or math.max(1, math.floor(current / 2)))
  end
elseif limit ~= '' then
  redis.call('HSET', clock, 'limit', limit, 'reported', 1)
end
if redis.call('EXISTS', row) == 0 then return 0 end
local from = redis.call('HGET', row, 'pg:status') or 'waiting'
if from ~= before or (redis.call('HGET', row, 'pg:turn') or '0') ~= turn then return 0 end
set_status(row, counts, from, to)
redis.call('HSET', row, 'pg:state', state)
redis.call('ZREM', slots, row)
settle(row, spend, reservations, id, key, reservation, charge)
if to == 'succeeded' or to == 'failed' or to == 'unknown' then
  local number = next_number(redis.call('HGET', counts, 'ended'))
  redis.call('HSET', counts, 'ended', number)
  redis.call('ZADD', results, number, id)
  redis.call('PUBLISH', channel, id)
end
return 1
`,
);

/** Renews the leases of a process, whose rows are a JSON array. A lease that has expired stays lost. */
export const renew = luaScript(
  { keys: ['slots', 'clock'], args: ['rows'] },
  `${advance}
local tick = advance(clock)
for _, row in ipairs(cjson.decode(rows)) do redis.call('ZADD', slots, 'XX', tick, row) end
`,
);

/**
 * Reopens a failed or unknown row: moves it to another status with a new state, and its job from BullMQ's failed
 * jobs to the delayed ones, due now.
 *
 * `turn` is what the caller has read.
 * Returns 'ok', the status that does not allow it, 'missing', or 'busy' while a worker still records the failure, or if
 * the row was retried since the caller has read it.
 */
export const retry = luaScript(
  {
    keys: ['row', 'counts', 'results', 'spend', 'reservations', 'failed', 'delayed', 'marker'],
    args: ['id', 'to', 'state', 'key', 'reservation', 'charge', 'priority', 'turn'],
  },
  `${setStatus}${settle}
if redis.call('EXISTS', row) == 0 then return 'missing' end
local from = redis.call('HGET', row, 'pg:status') or 'waiting'
if from ~= 'failed' and from ~= 'unknown' then return from end
if turn ~= (redis.call('HGET', row, 'pg:turn') or '0') then return 'busy' end
if redis.call('ZREM', failed, id) == 0 then return 'busy' end
set_status(row, counts, from, to)
settle(row, spend, reservations, id, key, reservation, charge)
redis.call('HINCRBY', row, 'pg:turn', 1)
redis.call('HSET', row, 'pg:state', state, 'priority', priority, 'delay', 0)
redis.call('HDEL', row, 'finishedOn', 'processedOn', 'failedReason', 'stacktrace')
redis.call('ZREM', results, id)
redis.call('ZADD', delayed, 0, id)
redis.call('ZADD', marker, 0, '0')
return 'ok'
`,
);

/**
 * Removes a row, its result and its job, even while a worker has its lock: the worker then finds no row. A reservation
 * whose submission may have been charged is spent.
 *
 * Returns 0 if the row is submitting or running.
 */
export const remove = luaScript(
  {
    keys: [
      'row',
      'counts',
      'results',
      'spend',
      'reservations',
      'wait',
      'active',
      'prioritized',
      'delayed',
      'completed',
      'failed',
    ],
    args: ['id'],
  },
  `${setStatus}${settle}
local from = redis.call('HGET', row, 'pg:status') or 'waiting'
if from == 'submitting' or from == 'running' then return 0 end
if redis.call('EXISTS', row) == 0 then return 1 end
set_status(row, counts, from, 'waiting')
settle(row, spend, reservations, id, '', 'spend', '0')
redis.call('ZREM', results, id)
for _, jobs in ipairs({wait, active}) do redis.call('LREM', jobs, 0, id) end
for _, jobs in ipairs({prioritized, delayed, completed, failed}) do redis.call('ZREM', jobs, id) end
redis.call('DEL', row, row .. ':lock', row .. ':logs')
return 1
`,
);
