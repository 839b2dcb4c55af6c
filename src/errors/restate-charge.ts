import { PolygateError } from './base.ts';
import { toMessage } from './message.ts';

/**
 * A copy of an error that says something else about charges: `charge`, and the outcome `unknown`. Its class, its other
 * details and its stack trace are those of the error, which other code may hold as well.
 */
export function restateCharge(error: PolygateError, charge: string): PolygateError {
  const { message: previous, stack, parts = { summary: previous } } = error;
  const restated = { ...parts, charge };
  const message = toMessage(restated);
  const copy = new PolygateError(message);
  // The class may be that of another copy of polygate, or a user's own, whose constructor is unknown.
  Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(error));
  return Object.defineProperties(copy, {
    ...Object.getOwnPropertyDescriptors(error),
    message: { value: message },
    outcome: { value: 'unknown', enumerable: true },
    parts: { value: restated },
    // Its first line has the message.
    stack: { value: stack?.replace(previous, () => message) },
  });
}
