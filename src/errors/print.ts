import { omitUndefined } from '../schemas/schema.ts';
import type { PolygateError } from './base.ts';

/** Details that are not enumerable, but printed. Others are long or objects, such as response headers. */
interface PrintedDetails {
  type?: unknown;
  param?: unknown;
  text?: unknown;
  body?: unknown;
  partial?: unknown;
}

/**
 * An error as at most ten lines: the message, the callers, one line of details and the cause. Node would print objects
 * such as response headers and tasks in full.
 */
export function printError(error: PolygateError): string {
  const { name, message, stack, cause, task, ...fields } = error;
  const { type, param, text, body, partial }: PolygateError & PrintedDetails = error;
  const printed = { ...fields, type, param, text, body, partial, task: task?.id };
  const details = Object.entries(omitUndefined(printed)).map(
    ([field, value]) => `${field}: ${preview(value)}`,
  );
  // A program can format stack traces as something other than text.
  const lines = (typeof stack === 'string' ? stack : `${name}: ${message}`).split('\n').slice(0, 7);
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
