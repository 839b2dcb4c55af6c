import { unchecked } from '../wire/types/schema.ts';
import type { MessageParts } from './base.ts';
import { toMessage } from './message.ts';

/**
 * A copy of an error that says something else about charges: `charge`, and the outcome `unknown`. Its class, its other
 * details and its stack trace are those of the error, which other code may hold as well.
 */
export function restateCharge<Failure extends Error & { readonly parts?: MessageParts }>(
  error: Failure,
  charge: string,
): Failure {
  const { message: previous, stack, parts = { summary: previous } } = error;
  const restated = { ...parts, charge };
  const message = toMessage(restated);
  const copy = new Error(message);
  // The class may be that of another copy of polygate, or a user's own, whose constructor is unknown.
  Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(error));
  Object.defineProperties(copy, {
    ...Object.getOwnPropertyDescriptors(error),
    message: { value: message },
    outcome: { value: 'unknown', enumerable: true },
    parts: { value: restated },
    // Its first line has the message.
    stack: { value: stack?.replace(previous, () => message) },
  });
  return unchecked<Failure>(copy);
}
