import { PolygateError } from '../../errors/base.ts';

/** Captures stack traces on V8 and JavaScriptCore. Elsewhere it is missing, or its stacks look different. */
const engine: {
  prototype: Error;
  captureStackTrace?(error: object, topFunction: typeof throwToCaller): void;
} = Error;

/** Maximum number of lines that Node prints for an uncaught error, including its name, excluding the closing brace. */
const maxPrintedLines = 10;

/**
 * Throws an error of the client with a stack trace that shows which code of the caller awaited it. Most errors are
 * created in a timer or in an event of a response, where the engine does not know the awaiting functions.
 *
 * Call this where a failure leaves the client: as the rejection handler of the promise that the caller awaits, or in
 * the `catch` block of the generator that the caller iterates over. The engine follows a promise to the functions that
 * await it only while it has exactly one reaction. If there is no caller to show, the original stack trace stays.
 */
export function throwToCaller(error: unknown): never {
  if (engine.captureStackTrace && PolygateError.is(error)) {
    const { stack = '' } = error;
    engine.captureStackTrace(error, throwToCaller);
    // Native frames show no code.
    const callers = String(error.stack).replace(/\n.*(processTicks|\.next \(<anonymous>).*/g, '');
    // Node prints every enumerable field of an uncaught error, except its name, on a separate line.
    const maxLines = Math.max(3, maxPrintedLines - Object.keys(error).length);
    error.stack = /\n +at /.test(callers) ? callers.split('\n', maxLines).join('\n') : stack;
  }
  throw error;
}
