import type { PolygateError } from './base.ts';

/** Not printed: response headers, a whole conversation, and what the message already contains. */
const notPrinted =
  /^(name|message|stack|cause|meta|response|run|issues|generation|material|completion)$/;

/**
 * An error as at most ten lines: the message, the callers, one line of details and the cause. Node would print objects
 * such as response headers and tasks in full.
 */
export function printError(error: PolygateError): string {
  const { cause, message, stack, task } = error;
  const details = Object.getOwnPropertyNames(error)
    .filter((name) => !notPrinted.test(name))
    .map((name) => `${name}: ${preview(name === 'task' ? task?.id : Reflect.get(error, name))}`);
  // A program can format stack traces as something other than text.
  const lines = (typeof stack === 'string' ? stack : String(error)).split('\n').slice(0, 7);
  if (details.length > 0) lines.push(`  { ${details.join(', ')} }`);
  if (!(cause instanceof Error)) {
    if (cause !== undefined) lines.push(`  [cause]: ${preview(cause)}`);
  } else if (!message.includes(cause.message)) {
    // The message of a network error is already part of the message.
    lines.push(...`  [cause]: ${cause.stack ?? String(cause)}`.split('\n', 2));
  }
  return lines.join('\n');
}

/** A value as one line of JSON, shortened to 250 characters. */
function preview(value: unknown): string {
  try {
    const text = JSON.stringify(value);
    return text.length > 250 ? `${text.slice(0, 249)}…` : text;
  } catch {
    return '…';
  }
}
