import { ConfigurationError, PolygateError } from '../../errors/base.ts';
import {
  BudgetExceededError,
  AbortedError,
  ConnectionError,
  RequestTimeoutError,
} from '../../errors/call.ts';
import { StreamIdleTimeoutError, StreamTruncatedError, StreamError } from '../../errors/chat.ts';
import { ResponseValidationError, statusErrorClass } from '../../errors/responses.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { omitUndefined, unchecked } from '../../wire/types/schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { CallErrors } from '../call/errors.ts';
import { startTimer } from '../config/clock.ts';
import { defaults } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { parseErrorBody } from '../http/failure.ts';
import { parseJson } from '../http/json.ts';
import type { BodyReader } from '../http/response-body.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { SlotLease } from '../limits/concurrency.ts';
import { readChunks } from './chunk-reader.ts';
import type { ChunkReader } from './chunk-reader.ts';
import type { Source } from './source.ts';

/** What streams need, in one file: a page that opens no stream does not load it. */
export { partialJsonParser } from './partial-json.ts';
export { readOtherShape, readStream } from './read-stream.ts';

/** Writes the next items of a source as events. After the last one, or an error, it closes the stream. */
export async function pullEvents<Item>(
  source: Source<Item>,
  controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const encoder = new TextEncoder();
  const write = (text: string) => controller.enqueue(encoder.encode(text));
  let stopTimer = () => {};
  // After 15 seconds without an item, a comment keeps the connection open.
  const scheduleKeepAlive = () => {
    stopTimer = startTimer(source.clock, 15_000, () => {
      // Skipped while an earlier comment is unread: comments must not pile up if the consumer is slow.
      if (controller.desiredSize === 0) write(':\n\n');
      scheduleKeepAlive();
    });
  };
  scheduleKeepAlive();
  try {
    const { done, value } = await source.next();
    let text = done ? 'data: [DONE]\n\n' : '';
    // What arrived together is sent together.
    for (let item = value; item !== undefined; item = source.takeBuffered()) text += toEvent(item);
    write(text);
    if (done) controller.close();
  } catch (error) {
    write(toErrorEvent(error));
    controller.close();
  } finally {
    stopTimer();
  }
}

function toEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The error fields that are relayed in addition to the message: never headers, bodies, account balances or causes. */
const relayedFields = [
  'code',
  'type',
  'status',
  'outcome',
  'retryAfterMs',
  'requestId',
  'spentUsd',
  'maxUsd',
];

/**
 * The relayed fields of an error, or of the object that it was relayed as. `status` and `requestId` determine the class and
 * the metadata, and the others are passed on as they are.
 */
function pickRelayedFields(error: object): { status?: number; requestId?: string } {
  return unchecked(parseJson(JSON.stringify(error, relayedFields)));
}

function toErrorEvent(error: unknown): string {
  const known = PolygateError.is(error) ? error : new StreamError('The stream failed.');
  const { name, message, meta }: PolygateError & { meta?: ResponseMeta } = known;
  const fields = { requestId: meta?.requestId, ...pickRelayedFields(known) };
  return toEvent({ error: { name, message, ...fields } });
}

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
