import { luaScript } from './lua-script.ts';

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
