/**
 * The steps that must be atomic, as Lua scripts: Redis runs each one without interruption, so two processes cannot be in
 * the middle of one at the same time, and a process that dies has run it completely or not at all.
 *
 * Amounts are integers in nano-USD, because sums of fractions would drift.
 */

/** Redis's own clock in ms. The clocks of workers can differ. */
const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Moves a row to another status and keeps the counts. A row without a status is waiting, and is not counted. */
const setStatus = `
local function set_status(row, counts, from, to)
  if from == to then return end
  if from ~= 'waiting' and from ~= 'removed' then redis.call('HINCRBY', counts, from, -1) end
  if to ~= 'waiting' and to ~= 'removed' then redis.call('HINCRBY', counts, to, 1) end
  redis.call('HSET', row, 'pg:status', to)
end
`;

/**
 * Ends the reservation of a row. An empty amount keeps it, '0' frees it, and any other amount is spent, but only once
 * for each idempotency key.
 */
const settle = `
local function settle(row, spend, reservations, id, key, amount)
  if amount == '' then return end
  local reserved = redis.call('HGET', reservations, id)
  if reserved then
    redis.call('HDEL', reservations, id)
    if reserved ~= '0' then redis.call('HINCRBY', spend, 'reserved', '-' .. reserved) end
  end
  if amount == '0' or redis.call('HGET', row, 'pg:paid') == key then return end
  redis.call('HINCRBY', spend, 'spent', amount)
  redis.call('HSET', row, 'pg:paid', key)
end
`;

/**
 * Lets a row submit, if the queue is not paused, the budget covers the price and a slot is free. Marks it as submitting,
 * reserves the price and leases the slot.
 *
 * Leases expire after ticks instead of milliseconds, and a tick lasts a second, but only while Redis serves requests.
 * So if Redis stops for a minute, the holders have time to renew their leases afterwards.
 *
 * KEYS: row, counts, meta, spend, reservations, slots, clock. ARGV: id, price, budget (or ''), limit if none is known.
 * Returns the reason why not, or 'ok' and the status before.
 */
export const admit = `${now}${setStatus}
local row, counts, meta, spend, reservations, slots, clock = unpack(KEYS)
local id, price, budget = ARGV[1], tonumber(ARGV[2]), ARGV[3]
if redis.call('EXISTS', row) == 0 then return {'gone'} end
local from = redis.call('HGET', row, 'pg:status') or 'waiting'
if from ~= 'waiting' and from ~= 'submitting' then return {'gone'} end
local paused = redis.call('HGET', meta, 'paused')
if paused then return {'paused', paused} end
local reserved = redis.call('HGET', reservations, id)
if budget ~= '' and not reserved then
  local used = (redis.call('HGET', spend, 'spent') or 0) + (redis.call('HGET', spend, 'reserved') or 0)
  if used + price > tonumber(budget) or used >= tonumber(budget) then
    redis.call('HSET', meta, 'paused', 'budget')
    redis.call('PUBLISH', meta, 'budget')
    return {'paused', 'budget'}
  end
end
if now - (redis.call('HGET', clock, 'at') or 0) >= 1000 then
  redis.call('HSET', clock, 'at', now)
  redis.call('HINCRBY', clock, 'tick', 1)
end
local tick = tonumber(redis.call('HGET', clock, 'tick'))
redis.call('ZREMRANGEBYSCORE', slots, '-inf', tick - 6)
local limit = tonumber(redis.call('HGET', clock, 'limit') or ARGV[4])
if not redis.call('ZSCORE', slots, id) and redis.call('ZCARD', slots) >= limit then return {'full'} end
redis.call('ZADD', slots, tick, id)
if not reserved then
  redis.call('HSET', reservations, id, price)
  redis.call('HINCRBY', spend, 'reserved', price)
end
set_status(row, counts, from, 'submitting')
return {'ok', from}
`;

/**
 * Moves a row to another status with its new state: after an accepted or failed submission, a poll, or its end. Frees
 * its slot, settles its reservation, records the limit that the service reported, and records the end of the row for
 * those who wait for results.
 *
 * KEYS: row, counts, results, spend, reservations, slots, clock. ARGV: id, the allowed statuses before, separated by
 * commas, the new status, its state, key, amount, limit (or ''), and the channel of ended rows.
 * Returns 0 if the row has another status by now, and else Redis's time in ms.
 */
export const move = `${now}${setStatus}${settle}
local row, counts, results, spend, reservations, slots, clock = unpack(KEYS)
local id, allowed, to, state, key, amount, limit, channel = unpack(ARGV)
if redis.call('EXISTS', row) == 0 then return 0 end
local from = redis.call('HGET', row, 'pg:status') or 'waiting'
if not string.find(',' .. allowed .. ',', ',' .. from .. ',', 1, true) then return 0 end
set_status(row, counts, from, to)
redis.call('HSET', row, 'pg:state', state)
redis.call('ZREM', slots, id)
if limit ~= '' then redis.call('HSET', clock, 'limit', limit) end
settle(row, spend, reservations, id, key, amount)
if to == 'succeeded' or to == 'failed' or to == 'unknown' then
  local number = redis.call('HINCRBY', counts, 'ended', 1)
  redis.call('ZADD', results, number, id)
  redis.call('PUBLISH', channel, id)
elseif from ~= to then
  redis.call('ZREM', results, id)
end
return now
`;

/** Renews the leases of a process. A lease that has expired stays lost. KEYS: slots, clock. ARGV: ids. */
export const renew = `${now}
local slots, clock = unpack(KEYS)
if now - (redis.call('HGET', clock, 'at') or 0) >= 1000 then
  redis.call('HSET', clock, 'at', now)
  redis.call('HINCRBY', clock, 'tick', 1)
end
local tick = redis.call('HGET', clock, 'tick')
for _, id in ipairs(ARGV) do redis.call('ZADD', slots, 'XX', tick, id) end
`;

/**
 * Marks a row as removed, so that no worker submits it while its job is removed. KEYS: row, counts, results. ARGV: id.
 * Returns 0 if the row is submitting or running.
 */
export const markRemoved = `${setStatus}
local row, counts, results = unpack(KEYS)
local from = redis.call('HGET', row, 'pg:status') or 'waiting'
if from == 'submitting' or from == 'running' then return 0 end
if redis.call('EXISTS', row) == 0 then return 1 end
set_status(row, counts, from, 'removed')
redis.call('ZREM', results, ARGV[1])
return 1
`;
