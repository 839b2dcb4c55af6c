import { addedField } from '../bullmq-layout.ts';
import { luaScript } from './lua-script.ts';

/**
 * Counts the charge of a chat whose row was retried or removed before its completion came. The reservation and the key
 * are those of another request, or there are none anymore.
 *
 * `turn` is the turn of the submission, and `added` the time at which its row was added.
 * Returns 1, or 0 if the completion is recorded already: a connection that was lost before the reply runs a script again.
 */
export const lateCharge = luaScript(
  { keys: ['row', 'spend'], args: ['turn', 'added', 'charge'] },
  `local same = redis.call('HGET', row, '${addedField}') == added
if same and redis.call('HGET', row, 'pg:turn') == turn then return 0 end
if charge == '0' then return 1 end
if same then
  if redis.call('HGET', row, 'pg:late') == turn then return 1 end
  redis.call('HSET', row, 'pg:late', turn)
  redis.call('HINCRBY', row, 'pg:spent', charge)
end
redis.call('HINCRBY', spend, 'spent', charge)
return 1
`,
);
