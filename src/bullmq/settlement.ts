/**
 * What a row costs. The script `admit` reserves its price. When a submission ends, a decision makes a `Settlement`, and
 * the scripts record it with `settle`: the charge of the row in its field `pg:spent`, and the sum of all charges, which
 * counts toward `maxUsd`, in `polygate:spend`.
 *
 * Amounts in Redis are integers in nano-USD, because sums of fractions would drift.
 */

/** What happens to the price that is reserved for a row. */
export type Settlement =
  /** It stays reserved: whether the submission was charged is not known. */
  | { readonly reservation: 'keep' }
  /** It is free again: nothing was charged. */
  | { readonly reservation: 'release' }
  /** It is spent, because it may have been charged, and no response can report that anymore. */
  | { readonly reservation: 'spend' }
  /** The charge is spent instead. */
  | { readonly reservation: 'replace'; readonly chargeUsd: number };

export const keep = { reservation: 'keep' } as const satisfies Settlement;
export const release = { reservation: 'release' } as const satisfies Settlement;
export const spend = { reservation: 'spend' } as const satisfies Settlement;

export const replaceBy = (chargeUsd: number): Settlement => ({ reservation: 'replace', chargeUsd });

/**
 * What an accepted submission has cost. A replay costs nothing itself: the original request was charged. If that was a
 * request of this row whose response was lost (`isReplayPaid`), the row counts the charge. Without a reported charge, it
 * has cost its price.
 */
export function settlementOf(
  { replayed, chargeUsd }: { replayed: boolean; chargeUsd?: number | undefined },
  isReplayPaid: boolean,
  priceUsd: number,
): Settlement {
  return replayed && !isReplayPaid ? release : replaceBy(chargeUsd ?? priceUsd);
}

export const toNanoUsd = (usd: number): string =>
  String(Math.min(Number.MAX_SAFE_INTEGER, Math.round(usd * 1e9)));

/** A settlement as arguments of a script. */
export function settleArguments(settlement: Settlement = keep) {
  const { reservation } = settlement;
  const charge = reservation === 'replace' ? toNanoUsd(settlement.chargeUsd) : '0';
  return { reservation, charge };
}

/**
 * Records a settlement. A row spends only once under one idempotency key: `pg:paid` is the key under which it has spent
 * last. The name of this field is that of version 0.2, whose rows can still be in Redis.
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
