import { finishMeaning } from '../../types/chat/finish-reason.ts';
import { isRecord } from '../../types/type-guards.ts';
import { parseJson } from '../http/json.ts';

/** What services send if there are no arguments, or before the real ones. */
const none = String.raw`(?:\{\s*\}|null|\[\s*\]|"")`;
const placeholder = new RegExp(String.raw`^\s*${none}\s*(?=\{)`);
const noArguments = new RegExp(String.raw`^\s*${none}?\s*$`);

/**
 * The arguments in fragments that were joined. Some services send empty ones before the real ones, or repeat all of them at the
 * end.
 */
export function joinedArguments(text: string): string {
  const joined = text.replace(placeholder, '');
  // Parsed only where it can be complete.
  if (!/\}\s*$/.test(joined) || parseJson(joined) !== undefined) return joined;
  const end = endOfObject(joined);
  const [first, rest] = [joined.slice(0, end), joined.slice(end)];
  if (!isRecord(parseJson(first)) || !isRecord(parseJson(rest))) return joined;
  // Where they differ, the last ones are complete.
  return isSameJson(first, rest) ? first : rest.trim();
}

/** The arguments to execute a call with, as JSON: an empty object if there are none. */
export function executableArguments(text: string): string {
  const joined = joinedArguments(text);
  return noArguments.test(joined) ? '{}' : joined;
}

/** Whether a finish reason means that a response was cut off. Any tool call in it may be incomplete. */
export function isCutOff(reason: unknown): boolean {
  const meaning = finishMeaning(reason);
  return meaning === 'length' || meaning === 'content_filter';
}

/** The position after the first object of a text; the length of the text if it does not end. */
function endOfObject(text: string): number {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === '{') depth += 1;
    if (token === '}' && (depth -= 1) <= 0) return index + 1;
  }
  return text.length;
}

/** Whether two texts are the same JSON, apart from white space. */
export function isSameJson(one: string, other: string): boolean {
  const [a, b] = [parseJson(one), parseJson(other)];
  return a !== undefined && JSON.stringify(a) === JSON.stringify(b);
}
