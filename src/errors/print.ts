import type { PolygateError } from './base.ts';

/**
 * An error as at most ten lines: the message, the callers, one line of details and the cause. Node would print the stack
 * traces of all causes, and one line per field.
 */
export function printError(error: PolygateError): string {
  const { cause, stack } = error;
  const { name, message, ...fields } = error.toJSON();
  const details = Object.entries(fields).map(([field, value]) => `${field}: ${preview(value)}`);
  // A program can format stack traces as something other than text.
  const lines = (typeof stack === 'string' ? stack : `${name}: ${message}`).split('\n', 7);
  if (details.length > 0) lines.push(`  { ${details.join(', ')} }`);
  // The message of a network error is already part of the message.
  if (cause !== undefined && !(cause instanceof Error && message.includes(cause.message))) {
    lines.push(`  [cause]: ${cause instanceof Error ? String(cause) : preview(cause)}`);
  }
  return lines.join('\n');
}

/** A value as one line of JSON, shortened to 250 characters. */
function preview(value: unknown): string {
  try {
    return JSON.stringify(value).slice(0, 250);
  } catch {
    return '…';
  }
}
