/**
 * How many slots an account has. The service reports that; until it does, a queue starts with one request at a time,
 * adds one after each success, and halves after a rejection for lack of a slot.
 */

/** The current limit. A reported limit of 0 counts as 1: otherwise no response would ever report another one. */
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
