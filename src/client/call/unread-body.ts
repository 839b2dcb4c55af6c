import { ConfigurationError } from '../../errors/base.ts';
import { toFetchError } from '../../errors/call.ts';
import { garbage } from '../config/environment.ts';
import { isEventStream, withBody } from '../http/response-body.ts';
import { toStream, WatchedBody } from '../http/watched-body.ts';
import type { BodyCheck } from '../http/watched-body.ts';
import { waitsForSlot } from './api-request.ts';
import { streamIdle } from './body-errors.ts';
import type { ApiResponse, ReceivedResponse, ResponseHandler } from './response.ts';

/**
 * Leaves the body to the caller. Aborting the caller's signal aborts the body, too. An event stream holds the concurrency
 * slot of its call, if that needs one, until it has ended, failed or been canceled. For any other response, the call ends when
 * the headers arrive, and its slot is released. Without `createCheck`, an event stream is complete
 * where its body ends.
 */
export function keepBodyUnread(
  signal: AbortSignal | undefined,
  createCheck?: (received: ReceivedResponse) => BodyCheck,
): ResponseHandler<Response> {
  return async (received) => {
    const { call, response, meta, lease } = received;
    const { config, span } = call;
    const isWatched = waitsForSlot(call.request, config) || createCheck !== undefined;
    if (!isWatched || response.body === null || !isEventStream(response)) {
      // Without the body, which belongs to the caller.
      span?.end({ meta });
      return withAbortableBody(response, signal);
    }
    const releaseSlot = lease.transfer();
    let abortReason: unknown;
    const body = new WatchedBody(response.body.getReader(), {
      config,
      signal,
      isTimedBeforeFirstRead: true,
      idle: (ms) => streamIdle(call, ms),
      aborted: (reason) => toFetchError(call.aborted((abortReason = reason))),
      onEnd(error, isAborted) {
        releaseSlot();
        span?.end({ error: isAborted ? call.aborted(abortReason) : error, meta });
      },
    });
    const stream = toStream(body, createCheck?.(received) ?? endsWithBody);
    garbage?.register(stream, () => body.abort(undefined));
    return withBody(response, stream);
  };
}

/** A copy of the response whose body errors as soon as the signal aborts. */
export function withAbortableBody(response: Response, signal: AbortSignal | undefined): Response {
  const { body } = response;
  if (body === null || signal === undefined) return response;
  return withBody(response, body.pipeThrough(new TransformStream(), { signal }));
}

/** The result of a call whose body is left to the caller: it has no data. */
export function toUnreadResult(
  response: Response,
  { meta }: Pick<ReceivedResponse, 'meta'>,
): ApiResponse<never> {
  return {
    response,
    meta,
    get data(): never {
      throw new ConfigurationError(
        'The result cannot be read, because asResponse() left the body to you. The request was sent once. To get both, call withResponse() instead.',
      );
    },
  };
}

const endsWithBody: BodyCheck = (bytes, error) => {
  if (error !== undefined) throw error;
  return bytes === undefined;
};
