import type { PolygateError } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/base.ts';
import {
  BudgetExceededError,
  AbortedError,
  ConnectionError,
  RequestTimeoutError,
} from '../../errors/call.ts';
import { StreamIdleTimeoutError, StreamTruncatedError, StreamError } from '../../errors/chat.ts';
import { ResponseValidationError, statusErrorClass } from '../../errors/responses.ts';
import { omitUndefined } from '../../wire/types/schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { CallErrors } from '../call/errors.ts';
import { defaults } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { parseErrorBody } from '../http/error-body.ts';
import type { BodyReader } from '../http/response-body.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { SlotLease } from '../limits/concurrency.ts';
import { readChunks } from './chunk-reader.ts';
import type { ChunkReader } from './chunk-reader.ts';
import { pickRelayedFields } from './to-readable.ts';

/**
 * Reads a relayed stream. Only the client that relays it knows how many choices were requested, so finish reasons cannot
 * prove completeness here, and only `[DONE]` completes the stream.
 */
export function readRelayed(
  bytes: BodyReader,
  options: { [Name in 'streamIdleTimeout' | 'maxEventBytes' | 'clock']?: Config[Name] | undefined },
  signal: AbortSignal,
): ChunkReader {
  const config = { ...defaults, ...omitUndefined(options) };
  const meta = emptyMeta();
  const context = {
    call: new RelayedErrors(relayedCall),
    config,
    lease: new SlotLease(),
    meta: () => meta,
  };
  return readChunks(context, bytes, undefined, signal);
}

/** The call of the other client, of which nothing is known. */
const relayedCall = { method: 'relayed', template: 'stream', safety: 'once', paid: true } as const;

/** Errors of a relayed stream. An error event is recreated as the error class that the relaying client threw. */
class RelayedErrors extends CallErrors {
  override streamErrorEvent(data: string): PolygateError {
    const { message = 'The stream failed.', code, type, body } = parseErrorBody(data);
    const error = isRecord(body) && isRecord(body.error) ? body.error : {};
    const fields = pickRelayedFields(error);
    const { status, requestId } = fields;
    const Class =
      status === undefined
        ? (relayedClasses.find(({ className }) => className === error.name) ?? StreamError)
        : statusErrorClass(status, code);
    const meta = emptyMeta(status, requestId);
    return new Class(message, {
      ...fields,
      code,
      type,
      meta,
      partial: this.readPartial?.(),
    });
  }
}

/** Error classes without a status, found by name. Any other name becomes a `StreamError`. */
const relayedClasses = [
  AbortedError,
  BudgetExceededError,
  ConfigurationError,
  ConnectionError,
  RequestTimeoutError,
  ResponseValidationError,
  StreamIdleTimeoutError,
  StreamTruncatedError,
] as const;
