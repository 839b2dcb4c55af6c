import { finishMeaning } from '../../wire/types/chat/finish-reason.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { parseJson, stringify } from '../http/json.ts';

/** What services send if there are no arguments, or before or after the real ones. */
const none = String.raw`(?:\{\s*\}|null|\[\s*\]|"")`;
const placeholder = new RegExp(String.raw`^\s*${none}\s*(?=\{)`);
const noArguments = new RegExp(`^${none}?$`);
const placeholderAtEnd = new RegExp(String.raw`\}(\s*${none}\s*)$`);
/** More than the length of any placeholder at the end, which is searched only there. */
const maxPlaceholder = 40;

/**
 * The arguments in fragments that were joined. Some services send empty ones before or after the real ones, or repeat all of
 * them at the end.
 */
export function joinedArguments(text: string): string {
  const joined = text.replace(placeholder, '');
  const [, empty] = placeholderAtEnd.exec(joined.slice(-maxPlaceholder)) ?? [];
  // Parsed only where it can be complete.
  if (!empty && !joined.trimEnd().endsWith('}')) return joined;
  if (parseJson(joined) !== undefined) return joined;
  if (empty) return joinedArguments(joined.slice(0, -empty.length));
  const end = endOfObject(joined);
  const [first, rest] = [joined.slice(0, end), joined.slice(end)];
  if (!isRecord(parseJson(first)) || !isRecord(parseJson(rest))) return joined;
  // Where they differ, the last ones are complete.
  return isSameJson(first, rest) ? first : rest.trim();
}

/** The arguments to execute a call with, as JSON: an empty object if there are none. */
export function executableArguments(text: string): string {
  const joined = joinedArguments(text);
  return noArguments.test(joined.trim()) ? '{}' : joined;
}

/**
 * Whether a response with tool calls, with these arguments, has ended as it should, so that they may be executed. A response
 * that was cut off, or that the service failed to finish, has not: with empty arguments, a tool would run with its defaults.
 * Without a finish reason that is known, empty arguments may be the beginning of others.
 */
export function isExecutable(reason: unknown, calls: readonly unknown[]): boolean {
  const meaning = finishMeaning(reason);
  if (meaning !== undefined) return meaning === 'stop' || meaning === 'tool_calls';
  return calls.every((text) => {
    const joined = typeof text === 'string' ? joinedArguments(text).trim() : '{}';
    return joined.startsWith('{') || !noArguments.test(joined);
  });
}

/** The position after the first object of a text; the length of the text if it does not end. */
function endOfObject(text: string): number {
  let depth = 0;
  let isInString = false;
  // No regular expression, which a long string could exhaust.
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') isInString = !isInString;
    else if (isInString) index += character === '\\' ? 1 : 0;
    else if (character === '{') depth += 1;
    else if (character === '}' && (depth -= 1) <= 0) return index + 1;
  }
  return text.length;
}

/** Whether a fragment adds nothing to arguments that are complete: it repeats them, or is empty. */
export function isRepeated(added: string, text: string): boolean {
  const repeated = added.trim();
  if (repeated === '') return false;
  if (!repeated.startsWith('{') && !noArguments.test(repeated)) return false;
  const joined = joinedArguments(text);
  return (
    isSameJson(repeated, joined) || (noArguments.test(repeated) && isRecord(parseJson(joined)))
  );
}

/** Whether two texts are the same JSON, apart from white space. */
export function isSameJson(one: string, other: string): boolean {
  const value = parseJson(one);
  return value !== undefined && stringify(value) === stringify(parseJson(other));
}
