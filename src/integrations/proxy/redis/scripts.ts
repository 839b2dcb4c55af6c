/**
 * The operations of the store as Lua scripts: Redis runs each one without interruption, so that no two processes can be
 * in the middle of one at the same time. They have the rules of `limits/reservations.ts`: change both.
 *
 * The state of a user is one JSON text, which stays small: it holds the requests in flight, and the reservations of the
 * current windows. It expires an hour after the last of them. All times are those of Redis.
 */
import { attemptMemoryMs, settlementMemoryMs } from '../store/store.ts';

/** How long a state is kept after its last window, in ms. A request in flight prolongs it. */
const graceMs = 3_600_000;

const common = `
local input = cjson.decode(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state = cjson.decode(redis.call('GET', KEYS[1]) or '{"inFlight":{},"windows":{}}')
local function text(ms) return string.format('%.0f', ms) end
local function count(map)
  local size = 0
  for _ in pairs(map) do size = size + 1 end
  return size
end
local function save()
  local last = now
  for ms, window in pairs(state.windows) do
    local ends = window.start + tonumber(ms)
    local waiting = false
    for _, held in pairs(window.held) do waiting = waiting or next(held.requests) ~= nil end
    if ends < now and not waiting then state.windows[ms] = nil end
    last = math.max(last, ends)
  end
  redis.call('SET', KEYS[1], cjson.encode(state), 'PX', text(last - now + ${graceMs}))
end
local function window_at(ms)
  for request, flight in pairs(state.inFlight) do
    if flight.leaseEndsAt <= now then
      state.inFlight[request] = nil
      local window = state.windows[flight.windowMs]
      local held = window and window.held[flight.holder]
      if held and held.requests[request] then
        held.lost[request] = { body = flight.body, nanoUsd = held.requests[request] }
        held.requests[request] = nil
      end
    end
  end
  local start = now - now % ms
  local window = state.windows[text(ms)]
  if not window then
    window = { start = start, nanoUsd = 0, requests = 0, held = {} }
    state.windows[text(ms)] = window
  end
  if window.start - start > ms then window.start = start end
  if start <= window.start then return window end
  window.start, window.nanoUsd, window.requests = start, 0, 0
  for holder, held in pairs(window.held) do
    held.lost = {}
    if next(held.requests) == nil then window.held[holder] = nil end
  end
  return window
end
local function amount_of(held)
  local amount = 0
  for _, nano in pairs(held.requests) do amount = math.max(amount, nano) end
  for _, lost in pairs(held.lost) do amount = math.max(amount, lost.nanoUsd) end
  return amount
end
local function reserved_in(window)
  local sum = 0
  for _, held in pairs(window.held) do sum = sum + amount_of(held) end
  return sum
end
`;

/**
 * KEYS: state, attempt, charged key. The input has `limits` only if more than the attempt is checked.
 * Returns the refusal or '', the amount spent and the end of the window.
 */
export const reserve = `${common}
local limits, repeated = input.limits, false
if input.hasAttempt then
  -- A client sends the script again if its connection closes before the result.
  local by = redis.call('GET', KEYS[2])
  repeated = by and by ~= input.request
end
local function remember()
  if input.hasAttempt then redis.call('SET', KEYS[2], input.request, 'PX', ${attemptMemoryMs}) end
end
if not limits then
  if repeated then return {'attempt', '0', text(now)} end
  remember()
  return {'', '0', text(now)}
end
local window = window_at(limits.windowMs)
local function result(refused)
  return {refused, text(window.nanoUsd), text(window.start + limits.windowMs)}
end
if state.inFlight[input.request] then return result('') end
if repeated then return result('attempt') end
local paid = false
if input.isShared then
  local stored = redis.call('GET', KEYS[3]) or ''
  local at, forgotten, estimate, body = string.match(stored, '^(%d+) %d ?(%d?) ?(%d*) ?(.*)$')
  paid = at ~= nil and tonumber(at) >= window.start and forgotten ~= '1'
    and (forgotten == '' or body == input.body) and (tonumber(estimate) or input.nanoUsd) >= input.nanoUsd
end
local held = window.held[input.holder]
local nano = paid and 0 or input.nanoUsd
local added = math.max(0, nano - (held and amount_of(held) or 0))
if limits.nanoUsd and nano > 0 and window.nanoUsd + reserved_in(window) + added > limits.nanoUsd then
  return result('usd')
end
if limits.requests and window.requests >= limits.requests then return result('requests') end
if limits.concurrent and count(state.inFlight) >= limits.concurrent then return result('concurrent') end
window.requests = window.requests + 1
state.inFlight[input.request] = {
  leaseEndsAt = now + input.leaseMs, windowMs = text(limits.windowMs), holder = input.holder, body = input.body
}
if nano > 0 or held then
  held = held or { requests = {}, lost = {} }
  held.requests[input.request] = nano
  window.held[input.holder] = held
end
remember()
save()
return result('')
`;

/** KEYS: state, charged key, attempt, settled request. */
export const settle = `${common}
if input.freesAttempt and redis.call('GET', KEYS[3]) == input.request then redis.call('DEL', KEYS[3]) end
local window = window_at(input.windowMs)
local flight, held = state.inFlight[input.request], window.held[input.holder]
local known = (flight and flight.holder == input.holder) or (held and held.lost[input.request])
local original = flight and flight.mayBeOriginal
if flight then
  if input.isStreaming and input.as ~= 'ended' then flight.holder = ''
  else state.inFlight[input.request] = nil end
end
-- A settlement that is repeated counts once, also if the reservation is gone, as after a failover.
local first = false
if input.as == 'charged' or input.as == 'unknown' then
  first = redis.call('SET', KEYS[4], '1', 'NX', 'PX', ${settlementMemoryMs}) ~= false
end
if input.as == 'ended' or (not known and not first) then
  save()
  return
end
if not known and input.as == 'unknown' and input.nanoUsd > 0 then
  held = held or { requests = {}, lost = {} }
  window.held[input.holder] = held
  held.requests[input.request] = math.max(input.nanoUsd, held.requests[input.request] or 0)
end
local reserved, others = 0, false
local stored = input.as == 'charged' and input.hasKey and redis.call('GET', KEYS[2]) or ''
if held then
  for id in pairs(held.requests) do others = others or id ~= input.request end
  for id in pairs(held.lost) do others = others or id ~= input.request end
  if others and (tonumber(string.match(stored, '^%d+')) or 0) < window.start then stored = '' end
  reserved = amount_of(held)
  local before = held.lost[input.request]
  local nano = held.requests[input.request] or (before and before.nanoUsd) or 0
  held.requests[input.request] = nil
  held.lost[input.request] = nil
  if input.as == 'unknown' then
    local name = 'body ' .. input.body
    local same = held.lost[name]
    held.lost[name] = { body = input.body, nanoUsd = math.max(nano, same and same.nanoUsd or 0) }
  end
  if input.as == 'invalid' and next(held.requests) == nil then
    for id, lost in pairs(held.lost) do
      if lost.body == input.body then held.lost[id] = nil end
    end
  end
  if input.as == 'charged' then
    held.lost = {}
    -- If the key counted before, requests in flight have reserved another charge.
    if stored == '' then held.requests = {} end
  end
  if next(held.requests) == nil and next(held.lost) == nil then window.held[input.holder] = nil end
end
if input.as == 'charged' then
  for _, each in pairs(input.replay and stored == '' and state.inFlight or {}) do
    if each.holder == input.holder then each.mayBeOriginal = true end
  end
  -- The time, whether a replay has reported the charge, whether the key was charged again, an estimate that counts, and the
  -- body. 0.3 stored the first two.
  local at, from, forgotten, estimate, body = string.match(stored, '^(%d+) (%d) ?(%d?) ?(%d*) ?(.*)$')
  local counted = at and (input.replay or (original and from == '1'))
  local nano = input.isEstimate and math.max(input.nanoUsd, reserved) or input.nanoUsd
  if not counted then
    window.nanoUsd = window.nanoUsd + nano
    estimate = input.isEstimate and text(nano) or ''
  elseif not input.isEstimate and estimate ~= '' then
    window.nanoUsd = window.nanoUsd + math.max(0, nano - tonumber(estimate))
    estimate = ''
  end
  if input.hasKey then
    local replayed = input.replay and from ~= '0' and '1' or '0'
    local again = forgotten == '1' or (at ~= nil and not counted)
    local paid_body = counted and forgotten ~= '' and body or input.body
    local entry = { counted and at or text(now), replayed, again and '1' or '0', estimate, paid_body }
    redis.call('SET', KEYS[2], table.concat(entry, ' '), 'PX', text(input.keyMemoryMs))
  end
end
save()
`;

/** KEYS: state. */
export const renew = `${common}
for _, request in ipairs(input.requests) do
  local flight = state.inFlight[request]
  if flight then flight.leaseEndsAt = now + input.leaseMs end
end
if next(state.inFlight) ~= nil then save() end
`;

/** KEYS: state. Returns the amounts spent and reserved, the number of requests, those in flight and the window's end. */
export const usage = `${common}
local window = window_at(input.windowMs)
return {
  text(window.nanoUsd), text(reserved_in(window)), text(window.requests), text(count(state.inFlight)),
  text(window.start + input.windowMs)
}
`;

/** KEYS: owners. ARGV: user, resources. */
export const own = `
for index = 2, #ARGV do redis.call('HSETNX', KEYS[1], ARGV[index], ARGV[1]) end
`;

/** KEYS: owners. ARGV: resources. */
export const ownersOf = `
local owners = {}
for index, resource in ipairs(ARGV) do owners[index] = redis.call('HGET', KEYS[1], resource) end
return owners
`;
