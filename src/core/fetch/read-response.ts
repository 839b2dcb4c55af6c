import { readText } from '../call/response.ts';
import type { ResponseContext, ResponseHandler } from '../call/response.ts';
import { describeNonJson } from '../http/error-body.ts';
import { parseJson } from '../http/json.ts';
import { isEventStream, withBody } from '../http/response-body.ts';
import { bodyErrorsOf } from './fetched-response.ts';
import type { BodyErrors } from './fetched-response.ts';
import type { RejectedResponse } from './rejected-response.ts';

/** A successful response, and the errors for what a later reader of its body may find. */
export interface ReadResponse {
  readonly response: Response;
  readonly bodyErrors: BodyErrors;
}

/**
 * Reads the body of a response before passing it on, because the call only ends with it: a connection that is lost
 * meanwhile is a failure of the call, which is retried if that is safe. Streams, and the responses of unknown routes, are
 * passed on with their body unread.
 */
export function readResponse(
  rejected: RejectedResponse,
  isKnownRoute: boolean,
  keepBodyUnread: ResponseHandler<Response>,
): ResponseHandler<ReadResponse> {
  return async (context) => {
    const { response } = context;
    const isUnread = !isKnownRoute || response.body === null || isEventStream(response);
    return {
      response: isUnread ? await keepBodyUnread(context) : await withReadBody(context, rejected),
      bodyErrors: bodyErrorsOf(context),
    };
  };
}

async function withReadBody(
  context: ResponseContext,
  rejected: RejectedResponse,
): Promise<Response> {
  const { response, meta, call, errors, span } = context;
  const text = await readText(context);
  // As a method does: JSON that was cut off is requested again if that is safe.
  if (call.safety !== 'once' && parseJson(text) === undefined) {
    rejected.keep(withBody(response, text), meta());
    throw errors.invalidResponse(meta(), describeNonJson(text), text);
  }
  span?.end({ data: parseJson(text), meta });
  return withBody(response, text);
}
