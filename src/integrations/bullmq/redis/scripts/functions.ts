/** Functions in Lua that several scripts start with. */
import { fields } from '../fields.ts';

/** What a row that was never submitted has, too: a status and a turn. */
export const statusAndTurn = `
local function status_of(row) return redis.call('HGET', row, '${fields.status}') or 'waiting' end
local function turn_of(row) return redis.call('HGET', row, '${fields.turn}') or '0' end
`;

/** Moves a row to another status and keeps the counts. A row without a status is waiting, and is not counted. */
export const setStatus = `
local function set_status(row, counts, from, to)
  if from == to then return end
  if from ~= 'waiting' then redis.call('HINCRBY', counts, from, -1) end
  if to ~= 'waiting' then redis.call('HINCRBY', counts, to, 1) end
  redis.call('HSET', row, '${fields.status}', to)
end
`;

/** Pauses a queue, unless it is paused already, and announces it. */
export const pauseQueue = `
local function pause_queue(meta, reason)
  redis.call('HSETNX', meta, 'paused', reason)
  redis.call('PUBLISH', meta, reason)
end
`;

/** How many times a queue has been resumed. */
export const resumesOf = `
local function resumes_of(meta) return redis.call('HGET', meta, 'resumes') or '0' end
`;

/**
 * A number above the last one, from Redis's time in µs, so that numbers never start over, even if Redis loses its
 * latest data.
 */
export const nextNumber = `
local function next_number(last)
  local time = redis.call('TIME')
  return string.format('%.0f', math.max((last or 0) + 1, time[1] * 1000000 + time[2]))
end
`;
