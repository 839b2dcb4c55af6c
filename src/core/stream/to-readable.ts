import { PolygateError } from '../../errors/base.ts';
import { StreamError } from '../../errors/stream.ts';
import { isRecord } from '../../schemas/record.ts';
import { startTimer } from '../config/clock.ts';
import type { Source } from './source.ts';

/** How long a stream that is handed on may be silent before a comment shows that it lives, ms. */
const keepAliveInterval = 15_000;

/** The items of a source as the bytes of an event stream. Nothing is read before somebody asks for it. */
export function toReadable<Item>(source: Source<Item>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      async pull(controller) {
        const write = (text: string) => controller.enqueue(encoder.encode(text));
        let stopTimer = () => {};
        const wait = () => {
          stopTimer = startTimer(source.clock, keepAliveInterval, () => {
            // Only for a reader that waits: comments must not pile up before a slow one.
            if (controller.desiredSize === 0) write(':\n\n');
            wait();
          });
        };
        wait();
        try {
          const { done, value } = await source.next();
          if (done) write('data: [DONE]\n\n');
          else write(eventOf(value) + readyEvents(source));
          if (done) controller.close();
        } catch (error) {
          write(failureEvent(error));
          controller.close();
        } finally {
          stopTimer();
        }
      },
      cancel: (reason) => source.abort(reason),
    },
    { highWaterMark: 0 },
  );
}

function eventOf(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** What came in the same piece of the network goes on in one piece. */
function readyEvents<Item>(source: Source<Item>): string {
  let text = '';
  for (let item = source.takeBuffered(); item !== undefined; item = source.takeBuffered())
    text += eventOf(item);
  return text;
}

/** What the other side may know of an error: never headers, bodies, wallets or causes. */
const tellable = [
  'name',
  'message',
  'code',
  'type',
  'status',
  'outcome',
  'retryAfterMs',
  'requestId',
];

function failureEvent(error: unknown): string {
  const known = PolygateError.is(error) ? error : new StreamError('The stream failed.');
  const meta: unknown = Reflect.get(known, 'meta');
  const { requestId } = isRecord(meta) ? meta : {};
  const fields = Object.assign({ requestId }, known, { message: known.message });
  return `data: {"error":${JSON.stringify(fields, tellable)}}\n\n`;
}
