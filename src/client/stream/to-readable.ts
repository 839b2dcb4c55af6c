import { PolygateError } from '../../errors/base.ts';
import { StreamError } from '../../errors/chat.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { startTimer } from '../config/clock.ts';
import { parseJson } from '../http/json.ts';
import type { Source } from './source.ts';

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

/** The relayed fields that determine an error's class and metadata. The others are passed on as they are. */
interface RelayedFields {
  status?: number;
  requestId?: string;
}

/** The relayed fields of an error, or of the object that it was relayed as. */
export function pickRelayedFields(error: object): RelayedFields {
  return unchecked(parseJson(JSON.stringify(error, relayedFields)));
}

function toErrorEvent(error: unknown): string {
  const known = PolygateError.is(error) ? error : new StreamError('The stream failed.');
  const { name, message, meta }: PolygateError & { meta?: ResponseMeta } = known;
  const fields = { requestId: meta?.requestId, ...pickRelayedFields(known) };
  return toEvent({ error: { name, message, ...fields } });
}
