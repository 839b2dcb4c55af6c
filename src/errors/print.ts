/** Longest preview of a value, in characters. */
const maxPreview = 100;

/** Not printed: response headers, a whole conversation, and what the message already contains. */
const notPrinted =
  /^(name|message|stack|cause|meta|response|run|issues|generation|material|completion)$/;

/**
 * An error as at most ten lines: the message, the callers, one line of details and the cause. Node would print objects
 * such as response headers and tasks in full.
 */
export function printError(error: Error): string {
  const { cause, message, stack } = error;
  const details = Object.entries(Object.getOwnPropertyDescriptors(error))
    .filter(([name]) => !notPrinted.test(name))
    .map(([name, { value, enumerable }]) => `${name}: ${preview(value, enumerable)}`);
  // A program can format stack traces as something other than text.
  const trace = typeof stack === 'string' ? stack : String(error);
  const lines = trace.split('\n').slice(0, 7);
  if (details.length > 0) lines.push(`  { ${details.join(', ')} }`);
  // The message of a network error is already part of the message.
  if (cause instanceof Error && message.includes(cause.message)) return lines.join('\n');
  const causeText = cause instanceof Error ? (cause.stack ?? String(cause)) : preview(cause);
  const causeLines = `  [cause]: ${causeText}`.split('\n');
  if (cause !== undefined) {
    lines.push(...causeLines.filter((line) => !line.includes('(node:')).slice(0, 2));
  }
  return lines.join('\n');
}

/** A value as one line, shortened unless it is to be shown `inFull`. A task is shown as its id. */
function preview(value: unknown, inFull = false): string {
  try {
    const isTask = typeof value === 'object' && value !== null && 'wait' in value && 'id' in value;
    const text = JSON.stringify(isTask ? value.id : value) ?? String(value);
    return inFull || text.length <= maxPreview ? text : `${text.slice(0, maxPreview - 1)}…`;
  } catch {
    return '…';
  }
}
