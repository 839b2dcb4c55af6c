import { textOf } from '../wire/types/type-guards.ts';

/** What is printed of an error of the client. */
interface Printable extends Error {
  readonly docs: string;
  toJSON(): { name: string; message: string };
}

/**
 * An error as at most ten lines: the message, the callers, one line of details and the cause. Node would print the stack
 * traces of all causes, and one line per field. `docsURL` is the address of a site with the guides, if there is one.
 */
export function printError(error: Printable, docsURL?: string): string {
  const { cause, stack } = error;
  const { name, message, ...fields } = error.toJSON();
  // A program can format stack traces as something other than text.
  const lines = (typeof stack === 'string' ? stack : String(error)).split('\n', 7);
  const details = JSON.stringify(fields);
  if (details !== '{}') lines.push(`  ${details}`);
  if (cause instanceof Error) {
    // The error of a hook comes from the caller's code, so its location helps. Its message is already part of ours.
    const location = name === 'HookError' && /\n +(at .*)/.exec(cause.stack ?? '');
    if (location) lines.push(`  [cause]: ${cause.name} ${location[1]}`);
    else if (!message.includes(cause.message)) lines.push(`  [cause]: ${String(cause)}`);
  } else if (cause !== undefined) {
    lines.push(`  [cause]: ${textOf(cause) ?? '…'}`);
  }
  if (docsURL !== undefined) lines.push(`  ${docsURL}${error.docs}`);
  return lines.join('\n');
}
