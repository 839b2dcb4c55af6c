import { luaScript } from './lua-script.ts';

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

/** Reads it. */
export const readSpend = luaScript(
  { keys: ['counts', 'spend', 'charges'], args: [] },
  `${spendText}return spend_text(counts, spend, charges)`,
);
