import { AbortedError } from '../../errors/aborted.ts';
import type { Outcome, PolygateError } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { ConnectionError, RequestTimeoutError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import { StreamIdleTimeoutError, StreamTruncatedError, StreamError } from '../../errors/stream.ts';
import { isRecord } from '../../schemas/record.ts';
import { omitUndefined, unchecked } from '../../schemas/schema.ts';
import { ChunkReader } from './chunk-reader.ts';
import type { Clock } from '../config/clock.ts';
import { defaults } from '../config/config.ts';
import { parseErrorBody } from '../http/error-body.ts';
import { CallErrors } from '../call/errors.ts';
import { statusErrorClass } from '../call/status-error.ts';
import { emptyMeta } from '../http/response-meta.ts';

/** How a stream that another side hands on is read. */
export interface RelayedStreamOptions {
  /** Ends the stream at once; the error's `cause` is the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Time without a byte before the stream fails, ms; comments count as bytes.
   * @defaultValue 60_000
   */
  streamIdleTimeout?: number | undefined;
  /**
   * The longest event, bytes.
   * @defaultValue 16 MiB
   */
  maxEventBytes?: number | undefined;
  /** Where the time for `streamIdleTimeout` comes from; by default the machine's. */
  clock?: Clock | undefined;
}

/**
 * Reads an event stream that came from elsewhere than from a request of this client. How many choices there have to be
 * only the other side knows, so `[DONE]` alone proves the end.
 */
export function relayedStream(
  readable: ReadableStream<Uint8Array>,
  options: RelayedStreamOptions = {},
): ChunkReader {
  const config = { ...defaults, ...omitUndefined(options) };
  const arrival = {
    errors: new RelayedErrors(),
    config,
    retainSlot: () => () => {},
    meta: emptyMeta(),
  };
  return new ChunkReader(arrival, readable, Infinity, options.signal);
}

/** Errors of a stream that was handed on: those that the other side tells of are made anew, as what they were. */
class RelayedErrors extends CallErrors {
  constructor() {
    super({ method: 'a stream', template: 'handed on', safety: 'once', paid: true });
  }

  override streamErrorEvent(data: string): PolygateError {
    const { message = 'The stream failed.', code, type, body } = parseErrorBody(data);
    const { name, status, requestId, outcome, retryAfterMs } = unchecked<RelayedErrorFields>(
      isRecord(body) && isRecord(body.error) ? body.error : {},
    );
    const Class =
      status === undefined
        ? (classes.find(({ className }) => className === name) ?? StreamError)
        : statusErrorClass(status, code);
    const meta = emptyMeta(status, requestId);
    const partial = this.partial?.();
    return new Class(message, {
      code,
      type,
      outcome,
      retryAfterMs,
      meta,
      body: undefined,
      partial,
    });
  }
}

/** What the other side tells of an error. */
interface RelayedErrorFields {
  name?: string;
  status?: number;
  requestId?: string;
  outcome?: Outcome;
  retryAfterMs?: number;
}

const classes = [
  AbortedError,
  ConfigurationError,
  ConnectionError,
  RequestTimeoutError,
  ResponseValidationError,
  StreamIdleTimeoutError,
  StreamTruncatedError,
] as const;
