/** How scripts are made and run, and the functions in Lua that several of them start with. */
import { createHash } from 'node:crypto';

import type { Redis } from 'ioredis';

import { isRecord } from '../../../../wire/types/type-guards.ts';
import { fields } from '../fields.ts';

/** A Lua script that Redis runs without interruption. */
export interface LuaScript<Key extends string, Argument extends string> {
  readonly keys: readonly Key[];
  readonly args: readonly Argument[];
  readonly source: string;
  /** Redis keeps scripts by this hash. */
  readonly hash: string;
}

/** Makes a script in which each key and argument is a local variable with its name. */
export function luaScript<const Key extends string, const Argument extends string>(
  { keys, args }: { readonly keys: readonly Key[]; readonly args: readonly Argument[] },
  body: string,
): LuaScript<Key, Argument> {
  const keyNames = `local ${keys.join(', ')} = unpack(KEYS)\n`;
  const argumentNames = args.length === 0 ? '' : `local ${args.join(', ')} = unpack(ARGV)\n`;
  const source = keyNames + argumentNames + body;
  return { keys, args, source, hash: createHash('sha1').update(source).digest('hex') };
}

/** Runs a script. */
export async function runScript<Key extends string, Argument extends string>(
  redis: Redis,
  { keys, args, source, hash }: LuaScript<Key, Argument>,
  keyByName: Readonly<Record<Key, string>>,
  argumentByName: Readonly<Record<Argument, string | number>>,
): Promise<unknown> {
  const values = [
    ...keys.map((name) => keyByName[name]),
    ...args.map((name) => argumentByName[name]),
  ];
  try {
    return await redis.evalsha(hash, keys.length, ...values);
  } catch (error) {
    // Redis forgets scripts when it restarts.
    if (!(isRecord(error) && String(error.message).startsWith('NOSCRIPT'))) throw error;
    return redis.eval(source, keys.length, ...values);
  }
}

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

/**
 * What a queue knows about charges, in `polygate:charges`, by the path or the price class of the request:
 *
 * - `largest:{path}`, the largest charge so far: the estimate for a row without a known price.
 * - `above:{class}`, the largest charge per unit of a price class, if it is above the listed price.
 * - `unpriced:{path}`, how many rows are or may have been charged, and have reserved nothing, because no charge was
 *   known. They count as much as the largest charge.
 *
 * Remembers a charge that the service has reported.
 */
export const recordCharge = `
local function record_charge(charges, path, charge)
  local largest = redis.call('HGET', charges, 'largest:' .. path)
  if not largest or tonumber(charge) > tonumber(largest) then
    redis.call('HSET', charges, 'largest:' .. path, charge)
  end
end
`;

/** Marks a row as unpriced, and counts it once. */
export const addUnpriced = `
local function add_unpriced(row, charges, path)
  if redis.call('HSETNX', row, '${fields.unpriced}', path) == 1 then
    redis.call('HINCRBY', charges, 'unpriced:' .. path, 1)
  end
end
`;

/** Removes the mark of an unpriced row. It is still counted if nothing is known about its charge. */
export const removeUnpriced = `
local function remove_unpriced(row, charges, is_known)
  local path = redis.call('HGET', row, '${fields.unpriced}')
  if not path then return end
  redis.call('HDEL', row, '${fields.unpriced}')
  if is_known then redis.call('HINCRBY', charges, 'unpriced:' .. path, -1) end
end
`;

/** How many ticks a lease of a slot lasts, unless it is renewed. */
export const leaseTicks = 6;

/**
 * Advances the clock of the leases, and returns its tick. Leases expire after ticks instead of milliseconds. A tick
 * lasts a second, but only while Redis serves requests. So if Redis stops for a minute, the holders have time to renew
 * their leases afterwards. The clock of Redis can be set back.
 */
export const advance = `
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

/** Renews the leases of a process, whose rows are a JSON array. A lease that has expired stays lost. */
export const renew = luaScript(
  { keys: ['slots', 'clock'], args: ['rows'] },
  `${advance}
local tick = advance(clock)
for _, row in ipairs(cjson.decode(rows)) do redis.call('ZADD', slots, 'XX', tick, row) end
`,
);

/**
 * How many slots an account has. The service reports that; until it does, a queue starts with one request at a time,
 * adds one after each success, and halves after a rejection for lack of a slot. A reported limit of 0 counts as 1: otherwise
 * no response would ever report another one.
 */
export const limitOf = `
local function limit_of(clock)
  return math.max(1, tonumber(redis.call('HGET', clock, 'limit') or 1))
end
`;

/** Sets a limit that the service has reported, or follows a hint (`more` or `less`) as long as it reports none. */
export const changeLimit = `${limitOf}
local function report_limit(clock, limit)
  redis.call('HSET', clock, 'limit', limit, 'reported', 1)
end
local function guess_limit(clock, hint)
  if redis.call('HEXISTS', clock, 'reported') == 1 then return end
  local limit = limit_of(clock)
  if hint == 'more' then limit = limit + 1 else limit = math.max(1, math.floor(limit / 2)) end
  redis.call('HSET', clock, 'limit', limit)
end
`;
