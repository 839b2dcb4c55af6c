import { keep } from '../../decisions/settlement.ts';
import type { Settlement } from '../../decisions/settlement.ts';

/** Amounts in Redis are integers in nano-USD, because sums of fractions would drift. */
export const toNanoUsd = (usd: number): string =>
  String(Math.min(Number.MAX_SAFE_INTEGER, Math.round(usd * 1e9)));

/** A settlement as arguments of a script. */
export function settleArguments(settlement: Settlement = keep) {
  const { reservation } = settlement;
  const charge = reservation === 'replace' ? toNanoUsd(settlement.chargeUsd) : '0';
  return { reservation, charge };
}

/**
 * Records a settlement: the charge of the row in its field `pg:spent`, and the sum of all charges, which counts toward
 * `maxUsd`, in `polygate:spend`.
 *
 * A row spends only once under one idempotency key: `pg:paid` is the key under which it has spent last. The name of this
 * field is that of version 0.2, whose rows can still be in Redis.
 */
export const settle = `
local function settle(row, spend, reservations, id, key, reservation, charge)
  if reservation == 'keep' then return end
  local reserved = redis.call('HGET', reservations, id) or '0'
  redis.call('HDEL', reservations, id)
  if reserved ~= '0' then redis.call('HINCRBY', spend, 'reserved', '-' .. reserved) end
  local amount = ({release = '0', spend = reserved, replace = charge})[reservation]
  if amount == '0' or redis.call('HGET', row, 'pg:paid') == key then return end
  redis.call('HSET', row, 'pg:paid', key)
  redis.call('HINCRBY', row, 'pg:spent', amount)
  redis.call('HINCRBY', spend, 'spent', amount)
end
`;
