import { keep } from '../../decisions/settlement.ts';
import type { Settlement } from '../../decisions/settlement.ts';
import { toNanoUsd } from '../spend.ts';
import { removeUnpriced } from './charges.ts';

/** A settlement as arguments of a script. */
export function settleArguments(settlement: Settlement = keep) {
  const { reservation } = settlement;
  const chargeUsd = reservation === 'replace' ? settlement.chargeUsd : 0;
  const taskId = 'taskId' in settlement ? settlement.taskId : undefined;
  return { reservation, charge: toNanoUsd(chargeUsd), task: taskId ?? '' };
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
 * `pg:unpriced` marks a row with an unpriced reservation, one of 0 although the row may be charged: see `charges.ts`. The
 * row still counts as unpriced if that reservation is spent.
 *
 * The only charge that is counted elsewhere is that of a chat whose row was retried or removed: see `late-charge.ts`.
 */
export const settle = `${removeUnpriced}
local function settle(row, spend, charges, reservations, id, key, reservation, charge, task)
  if reservation == 'keep' then return end
  local is_paid = redis.call('HGET', row, 'pg:paid') == key
    and (task == '' or task == (redis.call('HGET', row, 'pg:task') or task))
  local reserved = redis.call('HGET', reservations, id) or '0'
  redis.call('HDEL', reservations, id)
  if reserved ~= '0' then redis.call('HINCRBY', spend, 'reserved', '-' .. reserved) end
  remove_unpriced(row, charges, reservation ~= 'spend' or is_paid)
  local amount = ({release = '0', spend = reserved, replace = charge})[reservation]
  if amount == '0' or is_paid then return end
  redis.call('HSET', row, 'pg:paid', key, 'pg:task', task)
  redis.call('HINCRBY', row, 'pg:spent', amount)
  redis.call('HINCRBY', spend, 'spent', amount)
end
`;
