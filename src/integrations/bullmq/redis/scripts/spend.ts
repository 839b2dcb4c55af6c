import { toNano, toUsd } from '../../../../paid/amounts.ts';
import { undecided } from '../../decisions/settlement.ts';
import type { QueueSpend, Settlement } from '../../decisions/settlement.ts';
import { fields } from '../fields.ts';
import { addedField } from '../keys.ts';
import { luaScript, removeUnpriced, recordCharge, statusAndTurn } from './lua.ts';

/** Redis adds integers that are safe in JavaScript, too. */
export const storedNano = (nanoUsd: number): string =>
  String(Math.min(Number.MAX_SAFE_INTEGER, nanoUsd));

export const storedUsd = (usd: number): string => storedNano(toNano(usd));

export const fromNanoUsd = (amount = '0'): number => toUsd(Number(amount));

/** A settlement as arguments of a script. */
export function settleArguments(settlement: Settlement = undecided) {
  const { money, taskId = '' } = settlement;
  if (settlement.money !== 'charged') return { money, charge: '0', task: taskId };
  const { usd, isLost } = settlement;
  return { money: isLost ? 'lost' : money, charge: storedUsd(usd), task: taskId };
}

/**
 * What counts for a key whose charge no response has reported, in `polygate:estimates`:
 *
 * - `lost:{key}`, the job of a row with this key that was lost: what is reserved for it counts.
 * - `spent:{key}`, an amount that is spent, and that no submission of its row replaces: it has succeeded without a charge, was
 *   retried with another key, or was removed.
 *
 * An unpriced row counts as much as the largest charge, and is not there. Another row with the key can receive the replay, which
 * costs nothing itself: `raise_estimate` then counts what is missing.
 */
const estimateOf = `
local function raise_estimate(charge)
  local lost = redis.call('HGET', estimates, 'lost:' .. key)
  local reserved = lost and redis.call('HGET', reservations, lost)
  local spent = redis.call('HGET', estimates, 'spent:' .. key)
  local missing = charge - (reserved or 0) - (spent or 0)
  if missing <= 0 or not (reserved or spent) then return end
  local amount = string.format('%.0f', missing)
  if reserved then redis.call('HINCRBY', reservations, lost, amount)
  else redis.call('HINCRBY', estimates, 'spent:' .. key, amount) end
  redis.call('HINCRBY', spend, reserved and 'reserved' or 'spent', amount)
end
`;

/**
 * Records what a row is charged: in `spent` of the row, and in `spent` of the hash `spend`, the sum of all charges,
 * which counts toward `maxUsd`. All charges are recorded here, except that of a chat whose row was retried or removed
 * before its completion came: see `lateCharge`.
 *
 * `money`, `charge` and `task` are a settlement: see `settleArguments`. `lost` is the charge of a submission that has failed.
 * A script with this function needs the keys `row`, `spend`, `charges`, `estimates`, `reservations` and `units`, and the arguments
 * `id` and `key`, which it uses.
 *
 * A row spends once for each task: `paidTask` is the one for which it has spent last, and `paidKey` its idempotency
 * key. A service that has forgotten the key starts another task, which is charged. What a lost submission may have cost
 * counts once under a key, because the service most likely still knew the task that was paid under it.
 *
 * A row with an unpriced reservation still counts as unpriced if that reservation is spent: see `recordCharge`.
 */
export const settle = `${removeUnpriced}${estimateOf}
local function settle(money, charge, task)
  local held = redis.call('HGET', reservations, id)
  if money == 'unknown' and not held then return end
  local is_same_key = redis.call('HGET', row, '${fields.paidKey}') == key
  local is_estimate = held and not is_same_key and redis.call('HEXISTS', row, '${fields.unpriced}') == 0
  if money == 'unknown' then
    if is_estimate then redis.call('HSET', estimates, 'lost:' .. key, id) end
    return
  end
  local is_paid = money ~= 'lost' and is_same_key
    and (task == '' or task == (redis.call('HGET', row, '${fields.paidTask}') or task))
  local reserved = held or '0'
  if redis.call('HGET', estimates, 'lost:' .. key) == id then redis.call('HDEL', estimates, 'lost:' .. key) end
  if money == 'accepted' and is_estimate then redis.call('HSET', estimates, 'spent:' .. key, reserved) end
  redis.call('HDEL', reservations, id)
  redis.call('HDEL', units, id)
  if money == 'lost' and not is_same_key then redis.call('HSET', reservations, id, '0') end
  if reserved ~= '0' then redis.call('HINCRBY', spend, 'reserved', '-' .. reserved) end
  remove_unpriced(row, charges, money ~= 'accepted' or is_paid)
  local amount = ({none = '0', accepted = reserved, charged = charge, lost = charge})[money]
  if amount == '0' or is_paid then return end
  redis.call('HSET', row, '${fields.paidKey}', key, '${fields.paidTask}', task)
  redis.call('HINCRBY', row, '${fields.spent}', amount)
  redis.call('HINCRBY', spend, 'spent', amount)
end
`;

/**
 * Learns from the charge of a row what its class costs, and raises what other rows have reserved. It comes before `settle`, and
 * needs the same keys.
 */
export const learn = `
local function learn(charge)
  local paying, reserved = redis.call('HGET', units, id), redis.call('HGET', reservations, id)
  if not paying or not reserved or tonumber(charge) <= tonumber(reserved) then return end
  local class, count = string.match(paying, '^(%S+) (%S+)$')
  local per_unit = charge / count
  local before = redis.call('HGET', charges, 'above:' .. class)
  if before and tonumber(before) >= per_unit then return end
  redis.call('HSET', charges, 'above:' .. class, string.format('%.17g', per_unit))
  local rows = redis.call('HGETALL', units)
  for at = 1, #rows, 2 do
    local other, own = string.match(rows[at + 1], '^(%S+) (%S+)$')
    local held = other == class and redis.call('HGET', reservations, rows[at])
    -- Rounded up to a billionth, but not because of an error in the last digit.
    local amount = math.ceil(math.floor(per_unit * own * 1000 + 0.5) / 1000)
    if held and tonumber(held) < amount then
      redis.call('HSET', reservations, rows[at], string.format('%.0f', amount))
      redis.call('HINCRBY', spend, 'reserved', string.format('%.0f', amount - held))
    end
  end
end
`;

/** For how long late charges are remembered, in s: much longer than a process repeats a change during an outage. */
const maxAge = 86_400;

/**
 * Remembers a submission of a chat whose row does not show anymore that its charge is counted. A connection that was
 * lost before the reply runs a script again, and must not count the charge twice. Returns whether it was not remembered
 * yet.
 *
 * An entry names the submission: the job, the time at which its row was added, and the turn. It starts with `recorded`
 * if the row had recorded the charge before it was retried or removed: `remember_recorded` must come before `settle`. It
 * uses the keys `row` and `late`, and the arguments `id`, `key` and `turn` of its script.
 */
export const remember = `
local function submission_of(id, added, turn) return id .. ' ' .. added .. ' ' .. turn end
local function remember(late, entry)
  local now = tonumber(redis.call('TIME')[1])
  redis.call('ZREMRANGEBYSCORE', late, '-inf', now - ${maxAge})
  local is_first = redis.call('ZADD', late, 'NX', now, entry) == 1
  redis.call('EXPIRE', late, ${maxAge})
  return is_first
end
local function remember_recorded()
  local paid_key, paid_task, added =
    unpack(redis.call('HMGET', row, '${fields.paidKey}', '${fields.paidTask}', '${addedField}'))
  if paid_key ~= key or paid_task ~= '' then return end
  remember(late, 'recorded ' .. submission_of(id, added, turn))
end
`;

/**
 * Counts the charge of a chat whose row was retried or removed before its completion came. The reservation and the key
 * are those of another request, or there are none anymore. What was reserved for the chat has been spent when its row
 * was retried or removed, and stays spent: too much is counted rather than too little.
 *
 * `turn` is the turn of the submission, and `added` the time at which its row was added.
 * Returns 1, or 0 if the completion is recorded already, in the row or before it was retried or removed.
 */
export const lateCharge = luaScript(
  { keys: ['row', 'spend', 'charges', 'late'], args: ['id', 'path', 'turn', 'added', 'charge'] },
  `${statusAndTurn}${remember}${recordCharge}
local same = redis.call('HGET', row, '${addedField}') == added
if same and turn_of(row) == turn then return 0 end
local entry = submission_of(id, added, turn)
if redis.call('ZSCORE', late, 'recorded ' .. entry) then return 0 end
if charge == '0' or not remember(late, entry) then return 1 end
if same then redis.call('HINCRBY', row, '${fields.spent}', charge) end
redis.call('HINCRBY', spend, 'spent', charge)
record_charge(charges, path, charge)
return 1
`,
);

/**
 * What decides whether a budget covers a row, as a text: names and values, separated by spaces. The script `admit`
 * compares it with what the decision was made from.
 */
export const spendText = `
local function spend_text(counts, spend, charges)
  local words = {'submitting', redis.call('HGET', counts, 'submitting') or '0'}
  for _, hash in ipairs({spend, charges}) do
    for _, word in ipairs(redis.call('HGETALL', hash)) do table.insert(words, word) end
  end
  return table.concat(words, ' ')
end
`;

/** Returns this text. */
export const readSpend = luaScript(
  { keys: ['counts', 'spend', 'charges'], args: [] },
  `${spendText}return spend_text(counts, spend, charges)`,
);

/** Parses what it returns. */
export function parseSpend(text: string): QueueSpend {
  const words = text.split(' ');
  const values = new Map<string, string>();
  for (let at = 0; at < words.length; at += 2) values.set(words[at] ?? '', words[at + 1] ?? '');
  return {
    spentUsd: fromNanoUsd(values.get('spent')),
    reservedUsd: fromNanoUsd(values.get('reserved')),
    largest: byPath(values, 'largest:', fromNanoUsd),
    above: byPath(values, 'above:', Number),
    unpriced: byPath(values, 'unpriced:', Number),
    submitting: Number(values.get('submitting') ?? 0),
  };
}

function byPath(
  values: ReadonlyMap<string, string>,
  prefix: string,
  parse: (text: string) => number,
): ReadonlyMap<string, number> {
  const found = [...values].filter(([name]) => name.startsWith(prefix));
  return new Map(found.map(([name, value]) => [name.slice(prefix.length), parse(value)]));
}
