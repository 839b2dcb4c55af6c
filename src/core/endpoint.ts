import type { StandardSchema } from '../schemas/standard-schema.ts';
import type { RequestPromise } from './request-promise.ts';
import { matching } from './request.ts';
import type { Call, Read, RequestOptions } from './request.ts';
import { readJson } from './response.ts';
import type { Sender } from './send.ts';

/** Calls an endpoint that answers with one JSON document. `describe` may refuse: it rejects the promise. */
export function callEndpoint<Result>(
  sender: Sender,
  describe: () => Call,
  result: StandardSchema<Result> | Read<Result>,
  options?: RequestOptions,
): RequestPromise<Result> {
  const read = typeof result === 'function' ? result : matching(result);
  return sender.promise(describe, options, readJson(read), (answer) => answer);
}
