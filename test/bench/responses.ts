const usage = { prompt_tokens: 40, completion_tokens: 400, total_tokens: 440 };

/** The text of the completion, which has 2 KB of JSON in total. */
export const completionText = 'all work and no play makes jack a dull boy '.repeat(40);

export const completion = JSON.stringify({
  id: 'chatcmpl-9f2c4be1d0a84c7f',
  object: 'chat.completion',
  created: 1_780_000_000,
  model: 'bench',
  system_fingerprint: 'fp_1',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: completionText, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage,
});

function event(delta: object, finish: string | null = null, more: object = {}): string {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
  return `data: ${JSON.stringify({
    id: 'chatcmpl-9f2c4be1d0a84c7f',
    object: 'chat.completion.chunk',
    created: 1_780_000_000,
    model: 'bench',
    system_fingerprint: 'fp_1',
    choices: [choice],
    ...more,
  })}\n\n`;
}

/** A streamed completion: the number of chunks, and the characters of text in each. */
export interface StreamShape {
  readonly chunks: number;
  readonly length: number;
  readonly ascii?: boolean;
}

/**
 * The streams by their name in the URL. A small event has about 280 bytes, a large one 8 KB. The short ones are for fal,
 * which sleeps for 16 ms per chunk, and breaks characters that are split between two network chunks.
 */
export const streams = {
  first: { chunks: 1, length: 40 },
  chat: { chunks: 100, length: 60 },
  small: { chunks: 20_000, length: 44 },
  'small-few': { chunks: 60, length: 80, ascii: true },
  large: { chunks: 1_000, length: 4_950 },
  'large-few': { chunks: 60, length: 8_000, ascii: true },
} satisfies Record<string, StreamShape>;

export type StreamName = keyof typeof streams;

/** How the server writes a stream: in blocks of 64 KB, or every event on its own. */
export const deliveries = ['blocks', 'events'] as const;

export type Delivery = (typeof deliveries)[number];

/** Text with characters of one, two and three bytes; none that JSON escapes. */
const sample =
  'L’écrivain travaille à l’hôtel, chambre 237 — всё ещё пишет, 作家は一日中書いている。';

/** The text of a chunk. It differs from chunk to chunk. */
function textOf({ length, ascii }: StreamShape, index: number): string {
  const source = ascii ? completionText : sample;
  const start = index % source.length;
  return source.repeat(length / source.length + 2).slice(start, start + length);
}

/** The bytes of a stream, one piece per write. */
export function streamPieces(shape: StreamShape, delivery: Delivery): Buffer[] {
  const events = [
    ...Array.from({ length: shape.chunks }, (_, index) => {
      const content = textOf(shape, index);
      return event(index === 0 ? { role: 'assistant', content } : { content });
    }),
    event({}, 'stop', { usage }),
    'data: [DONE]\n\n',
  ];
  if (delivery === 'events') return events.map((text) => Buffer.from(text));
  const bytes = Buffer.from(events.join(''));
  const size = 65_536;
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

/** The headers of the service that every response has. */
export const vendorHeaders = {
  'x-request-id': 'req_1',
  'x-svc-charge-usd': '0.0001',
  'x-svc-wallet': 'unified',
  'x-svc-concurrency-limit': '100000',
  'x-svc-concurrency-remaining': '99000',
  'x-svc-concurrency-source': 'tier_enterprise',
};
