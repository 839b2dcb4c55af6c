import { AbortedError } from '../../errors/aborted.ts';
import type { PolygateError } from '../../errors/base.ts';
import { BudgetExceededError } from '../../errors/budget.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { ConnectionError, RequestTimeoutError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import { statusErrorClass } from '../../errors/status.ts';
import { StreamIdleTimeoutError, StreamTruncatedError, StreamError } from '../../errors/stream.ts';
import { omitUndefined } from '../../types/schema.ts';
import { isRecord } from '../../types/type-guards.ts';
import { CallHistory } from '../call/attempt/history.ts';
import { CallErrors } from '../call/failure/errors.ts';
import { signalRule } from '../call/request-options.ts';
import type { Clock } from '../config/clock.ts';
import { defaults } from '../config/config.ts';
import {
  checkOptions,
  clockValue,
  durationMs,
  positiveInteger,
  standardSchema,
} from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { parseErrorBody } from '../http/error-body.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { SlotLease } from '../limits/slot-lease.ts';
import { readChunks } from './chunk-reader.ts';
import type { ChunkReader } from './chunk-reader.ts';
import { pickRelayedFields } from './to-readable.ts';

/** Options of `fromReadableStream()`. */
export interface RelayedStreamOptions {
  /** Aborts the stream immediately with an `AbortedError` whose `cause` is the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Time without a byte, in ms, before the stream fails with `StreamIdleTimeoutError`. Comments count as bytes.
   * @defaultValue 60,000
   */
  streamIdleTimeout?: number | undefined;
  /**
   * Maximum size of one event in bytes. A longer event fails the stream with `StreamError`.
   * @defaultValue 16 MiB
   */
  maxEventBytes?: number | undefined;
  /**
   * Clock for `streamIdleTimeout`.
   * @defaultValue the system clock
   */
  clock?: Clock | undefined;
}

/** The rules of these options, and of the `schema` of a chat stream. */
const relayRules: Rules = {
  signal: signalRule,
  streamIdleTimeout: durationMs,
  maxEventBytes: positiveInteger,
  clock: clockValue,
  schema: standardSchema,
};

/**
 * Reads a stream that another client has relayed with `toReadableStream()`. Only that client knows how many choices
 * were requested, so that only `[DONE]` proves the stream complete.
 */
export function relayedStream(
  readable: ReadableStream<Uint8Array>,
  options: RelayedStreamOptions = {},
): ChunkReader {
  checkOptions(options, relayRules);
  const config = { ...defaults, ...omitUndefined(options) };
  const meta = emptyMeta();
  const history = new CallHistory();
  const context = {
    history,
    errors: new RelayedErrors(relayedCall, history),
    config,
    lease: new SlotLease(),
    meta: () => meta,
  };
  return readChunks(context, readable.getReader(), undefined, options.signal);
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
    return new Class(message, { ...fields, code, type, meta, partial: this.history.partial?.() });
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
