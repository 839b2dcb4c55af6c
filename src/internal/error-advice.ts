/** What the messages of errors say, for texts that people read instead of programs. */
import type { PolygateError, MessageParts } from '../errors/base.ts';
import { toMessage } from '../errors/message.ts';

export { nothingCharged } from '../client/call/failure/error-message.ts';
export { sentence } from '../client/http/json.ts';

/** The message of an error for people: without what only a program can do, and without the parts that `change` removes. */
export function messageForPeople(
  { message, parts }: PolygateError,
  change?: Partial<MessageParts>,
): string {
  return parts ? toMessage({ ...parts, programAdvice: undefined, ...change }) : message;
}

/** The request that an error is about, such as `GET /v1/account`. */
export const requestOf = ({ parts }: PolygateError): string | undefined => parts?.request;

/** Whether the message of an error says something about charges. */
export const statesCharge = ({ parts }: PolygateError): boolean => parts?.charge !== undefined;
