const usage = { prompt_tokens: 40, completion_tokens: 400, total_tokens: 440 };

/** Text of the given length without characters that JSON escapes. */
function sampleText(length: number): string {
  return 'all work and no play makes jack a dull boy '.repeat(length / 43 + 1).slice(0, length);
}

/** The text of the completion, which has 2 KB of JSON in total. */
export const completionText = sampleText(1_700);

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
}

/** The streams by their name in the URL. fal sleeps for 16 ms per chunk, so it gets the short ones. */
export const streams = {
  first: { chunks: 1, length: 40 },
  small: { chunks: 2_000, length: 60 },
  'small-few': { chunks: 100, length: 60 },
  large: { chunks: 200, length: 8_000 },
  'large-few': { chunks: 60, length: 8_000 },
} satisfies Record<string, StreamShape>;

export type StreamName = keyof typeof streams;

/** The bytes of a stream, split like network chunks. */
export function streamPieces({ chunks, length }: StreamShape): Buffer[] {
  const text =
    event({ role: 'assistant', content: sampleText(length) }) +
    event({ content: sampleText(length) }).repeat(chunks - 1) +
    event({}, 'stop', { usage }) +
    'data: [DONE]\n\n';
  const bytes = Buffer.from(text);
  const size = 16_384;
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
