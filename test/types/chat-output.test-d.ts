import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';

import { ChatStream, Stream } from '../../src/index.ts';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ParseParams,
  ParsedCompletion,
  Polygate,
  PolygateError,
  RequestPromise,
  Tool,
  ToolRun,
  ToolRunProgress,
} from '../../src/index.ts';

declare const gateway: Polygate;
declare const readable: ReadableStream<Uint8Array>;
declare const error: PolygateError;
const { completions } = gateway.chat;
const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
const schema = z.object({
  at: z.iso.date().transform((text) => new Date(text)),
  size: z.enum(['s', 'l']),
});
interface Output {
  at: Date;
  size: 's' | 'l';
}

describe('parse()', () => {
  test('is typed by what the schema gives out', () => {
    const promise = completions.parse({ ...ask, response_format: schema, odd: 1 });
    expectTypeOf(promise).toEqualTypeOf<RequestPromise<ParsedCompletion<Output>>>();
    expectTypeOf(promise).resolves.toExtend<ChatCompletion>();
    expectTypeOf<Awaited<typeof promise>['parsed']>().toEqualTypeOf<Output>();
  });

  test('wants a schema that tells its JSON schema, and no stream', () => {
    const plain = {
      '~standard': { version: 1 as const, vendor: 'v', validate: () => ({ value: 1 }) },
    };
    expectTypeOf(plain).not.toExtend<ParseParams<unknown>['response_format']>();
    // @ts-expect-error it tells no JSON schema
    void completions.parse({ ...ask, response_format: plain });
    // @ts-expect-error it is none
    void completions.parse({ ...ask, response_format: { type: 'json_object' } });
    // @ts-expect-error it is missing
    void completions.parse(ask);
    // @ts-expect-error stream() streams
    void completions.parse({ ...ask, response_format: schema, stream: true });
  });
});

describe('stream() with a schema', () => {
  test('gives drafts typed by what the schema takes in, and at last what it gives out', () => {
    const stream = completions.stream({ ...ask, response_format: schema });
    const draft: AsyncIterable<{ at?: string; size?: string }> = stream.partialObjects();
    expectTypeOf(stream.partialObjects()).toExtend<typeof draft>();
    expectTypeOf(stream.final()).resolves.toEqualTypeOf<ParsedCompletion<Output>>();
    expectTypeOf(stream.tee()).toEqualTypeOf<[typeof stream, typeof stream]>();
  });

  test('knows nothing of drafts without one', () => {
    const stream = completions.stream({ ...ask, response_format: { type: 'json_object' } });
    expectTypeOf(stream).toEqualTypeOf<ChatStream>();
    expectTypeOf(stream.partialObjects()).toExtend<AsyncIterable<unknown>>();
    expectTypeOf(stream.final()).resolves.toEqualTypeOf<ChatCompletion>();
  });
});

test('streams cross to a page with their types', () => {
  expectTypeOf(ChatStream.fromReadableStream(readable)).toEqualTypeOf<ChatStream>();
  const parsing = ChatStream.fromReadableStream(readable, { schema, streamIdleTimeout: 5 });
  expectTypeOf(parsing.final()).resolves.toEqualTypeOf<ParsedCompletion<Output>>();
  expectTypeOf(Stream.fromReadableStream(readable)).toEqualTypeOf<Stream<ChatCompletionChunk>>();
  expectTypeOf(parsing.toReadableStream()).toExtend<BodyInit>();
});

describe('run()', () => {
  test('types the arguments of each tool by its own schema', () => {
    const run = completions.run({
      ...ask,
      tools: [
        {
          name: 'weather',
          parameters: z.object({ city: z.string() }),
          execute({ city }, { signal, call }) {
            expectTypeOf(city).toEqualTypeOf<string>();
            expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
            return call.id;
          },
        },
        {
          name: 'add',
          description: 'Adds',
          parameters: z.object({ numbers: z.array(z.coerce.number()) }),
          execute: async ({ numbers }) => {
            expectTypeOf(numbers).toEqualTypeOf<number[]>();
            return numbers.length;
          },
        },
      ],
    });
    expectTypeOf(run).resolves.toEqualTypeOf<ToolRun>();
  });

  test('takes tools that were made elsewhere, and its own options', () => {
    const parameters = z.object({ n: z.number() });
    const double: Tool<{ n: number }> = { name: 'double', parameters, execute: ({ n }) => 2 * n };
    const tools: Tool[] = [double];
    expectTypeOf(double).toExtend<Tool>();
    void completions.run({ ...ask, tools }, { maxRounds: 2, onToolError: String });
    void completions.run({ ...ask, tools: [double] });
    // @ts-expect-error each round would need a key of its own
    void completions.run({ ...ask, tools }, { idempotencyKey: 'k' });
    // @ts-expect-error a tool does something
    void completions.run({ ...ask, tools: [{ name: 'double', parameters }] });
  });

  test('leaves its traces on errors', () => {
    expectTypeOf(error.run).toEqualTypeOf<ToolRunProgress | undefined>();
  });
});
