import { textOf } from '../schemas/type-guards.ts';
import type { PolygateError } from './base.ts';

/**
 * An error as at most ten lines: the message, the callers, one line of details and the cause. Node would print the stack
 * traces of all causes, and one line per field.
 */
export function printError(error: PolygateError): string {
  const { cause, stack } = error;
  const { name: _, message, ...fields } = error.toJSON();
  // A program can format stack traces as something other than text.
  const lines = (typeof stack === 'string' ? stack : String(error)).split('\n', 7);
  const details = JSON.stringify(fields);
  if (details !== '{}') lines.push(`  ${details}`);
  // The message of a network error is already part of the message.
  if (cause !== undefined && !(cause instanceof Error && message.includes(cause.message))) {
    lines.push(`  [cause]: ${cause instanceof Error ? String(cause) : (textOf(cause) ?? '…')}`);
  }
  return lines.join('\n');
}
