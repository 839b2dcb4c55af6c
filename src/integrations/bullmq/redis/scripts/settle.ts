import { keep } from '../../decisions/settlement.ts';
import type { Settlement } from '../../decisions/settlement.ts';
import { fields } from '../fields.ts';
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
 * Records what a row is charged: in `spent` of the row, and in `spent` of the hash `spend`, the sum of all charges,
 * which counts toward `maxUsd`. All charges are recorded here, except that of a chat whose row was retried or removed
 * before its completion came: see `late-charge.ts`.
 *
 * `reservation`, `charge` and `task` are a settlement: see `settleArguments`. A script with this function needs the
 * keys `row`, `spend`, `charges` and `reservations`, and the arguments `id` and `key`, which it uses.
 *
 * A row spends once for each task: `paidTask` is the one for which it has spent last, and `paidKey` its idempotency
 * key. A service that has forgotten the key starts another task, which is charged. What a lost submission may have cost
 * counts once under a key, because the service most likely still knew the task that was paid under it.
 *
 * A row with an unpriced reservation still counts as unpriced if that reservation is spent: see `charges.ts`.
 */
export const settle = `${removeUnpriced}
local function settle(reservation, charge, task)
  if reservation == 'keep' then return end
  local is_paid = redis.call('HGET', row, '${fields.paidKey}') == key
    and (task == '' or task == (redis.call('HGET', row, '${fields.paidTask}') or task))
  local reserved = redis.call('HGET', reservations, id) or '0'
  redis.call('HDEL', reservations, id)
  if reserved ~= '0' then redis.call('HINCRBY', spend, 'reserved', '-' .. reserved) end
  remove_unpriced(row, charges, reservation ~= 'spend' or is_paid)
  local amount = ({release = '0', spend = reserved, replace = charge})[reservation]
  if amount == '0' or is_paid then return end
  redis.call('HSET', row, '${fields.paidKey}', key, '${fields.paidTask}', task)
  redis.call('HINCRBY', row, '${fields.spent}', amount)
  redis.call('HINCRBY', spend, 'spent', amount)
end
`;
