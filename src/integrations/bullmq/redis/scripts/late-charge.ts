import { addedField } from '../bullmq-layout.ts';
import { fields } from '../fields.ts';
import { recordCharge } from './charges.ts';
import { statusAndTurn } from './functions.ts';
import { luaScript } from './lua-script.ts';

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
