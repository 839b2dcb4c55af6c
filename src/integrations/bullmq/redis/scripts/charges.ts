/**
 * What a queue knows about charges, in `polygate:charges`, by the path of the request:
 *
 * - `largest:{path}`, the largest charge so far: the estimate for a row without a known price.
 * - `unpriced:{path}`, how many rows are or may have been charged, and have reserved nothing, because no charge was
 *   known. They count as much as the largest charge.
 */
import { fields } from '../fields.ts';

/** Remembers a charge that the service has reported. */
export const recordCharge = `
local function record_charge(charges, path, charge)
  local largest = redis.call('HGET', charges, 'largest:' .. path)
  if not largest or tonumber(charge) > tonumber(largest) then
    redis.call('HSET', charges, 'largest:' .. path, charge)
  end
end
`;

/** Marks a row as unpriced, and counts it once. */
export const addUnpriced = `
local function add_unpriced(row, charges, path)
  if redis.call('HSETNX', row, '${fields.unpriced}', path) == 1 then
    redis.call('HINCRBY', charges, 'unpriced:' .. path, 1)
  end
end
`;

/** Removes the mark of an unpriced row. It is still counted if nothing is known about its charge. */
export const removeUnpriced = `
local function remove_unpriced(row, charges, is_known)
  local path = redis.call('HGET', row, '${fields.unpriced}')
  if not path then return end
  redis.call('HDEL', row, '${fields.unpriced}')
  if is_known then redis.call('HINCRBY', charges, 'unpriced:' .. path, -1) end
end
`;
