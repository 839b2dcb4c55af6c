import { keep } from '../../decisions/settlement.ts';
import type { Settlement } from '../../decisions/settlement.ts';

/** Amounts in Redis are integers in nano-USD, because sums of fractions would drift. */
export const toNanoUsd = (usd: number): string =>
  String(Math.min(Number.MAX_SAFE_INTEGER, Math.round(usd * 1e9)));

/** A settlement as arguments of a script. */
export function settleArguments(settlement: Settlement = keep) {
  const { reservation } = settlement;
  const { chargeUsd = 0, taskId = '' } = reservation === 'replace' ? settlement : {};
  return { reservation, charge: toNanoUsd(chargeUsd), task: taskId };
}

/**
 * Records a settlement: the charge of the row in its field `pg:spent`, and the sum of all charges, which counts toward
 * `maxUsd`, in `polygate:spend`.
 *
 * A row spends once for each task: `pg:task` is the one for which it has spent last, and `pg:paid` its idempotency key. A
 * service that has forgotten the key starts another task, which is charged. What a lost submission may have cost counts
 * once under a key, because the service most likely still knew the task that was paid under it. The field `pg:paid`
 * keeps its 0.2 name, because such rows, which have no `pg:task`, may still be in Redis.
 *
 * The only charge that is counted elsewhere is that of a chat whose row was retried or removed: see `late-charge.ts`.
 */
export const settle = `
local function settle(row, spend, reservations, id, key, reservation, charge, task)
  if reservation == 'keep' then return end
  local reserved = redis.call('HGET', reservations, id) or '0'
  redis.call('HDEL', reservations, id)
  if reserved ~= '0' then redis.call('HINCRBY', spend, 'reserved', '-' .. reserved) end
  local amount = ({release = '0', spend = reserved, replace = charge})[reservation]
  if amount == '0' then return end
  if redis.call('HGET', row, 'pg:paid') == key then
    if reservation == 'spend' or task == (redis.call('HGET', row, 'pg:task') or task) then return end
  end
  redis.call('HSET', row, 'pg:paid', key, 'pg:task', task)
  redis.call('HINCRBY', row, 'pg:spent', amount)
  redis.call('HINCRBY', spend, 'spent', amount)
end
`;
