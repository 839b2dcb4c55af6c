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
const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
const schema = z.object({
  at: z.iso.date().transform((text) => new Date(text)),
  size: z.enum(['s', 'l']),
});
interface Output {
  at: Date;
  size: 's' | 'l';
}

describe('parse()', () => {
  test('is typed by the output of the schema', () => {
    const promise = completions.parse({ ...request, response_format: schema });
    expectTypeOf(promise).toEqualTypeOf<RequestPromise<ParsedCompletion<Output>>>();
    expectTypeOf(promise).resolves.toExtend<ChatCompletion>();
    expectTypeOf<Awaited<typeof promise>['parsed']>().toEqualTypeOf<Output>();
  });

  test('requires a schema that provides a JSON schema, and rejects `stream: true`', () => {
    const plain = {
      '~standard': { version: 1 as const, vendor: 'v', validate: () => ({ value: 1 }) },
    };
    expectTypeOf(plain).not.toExtend<ParseParams<unknown>['response_format']>();
    // @ts-expect-error the schema does not provide a JSON schema
    void completions.parse({ ...request, response_format: plain });
    // @ts-expect-error response_format is not a schema
    void completions.parse({ ...request, response_format: { type: 'json_object' } });
    // @ts-expect-error response_format is missing
    void completions.parse(request);
    // @ts-expect-error the field is named temperature
    void completions.parse({ ...request, response_format: schema, temprature: 1 });
    // @ts-expect-error parse() does not stream
    void completions.parse({ ...request, response_format: schema, stream: true });
  });
});

describe('stream() with a schema', () => {
  test('yields partial objects typed by the schema input, and resolves to the schema output', () => {
    const stream = completions.stream({ ...request, response_format: schema });
    const partial: AsyncIterable<{ at?: string; size?: string }> = stream.partialObjects();
    expectTypeOf(stream.partialObjects()).toExtend<typeof partial>();
    expectTypeOf(stream.final()).resolves.toEqualTypeOf<ParsedCompletion<Output>>();
    expectTypeOf(stream.tee()).toEqualTypeOf<[typeof stream, typeof stream]>();
  });

  test('yields untyped partial objects without a schema', () => {
    const stream = completions.stream({ ...request, response_format: { type: 'json_object' } });
    expectTypeOf(stream).toEqualTypeOf<ChatStream>();
    expectTypeOf(stream.partialObjects()).toExtend<AsyncIterable<unknown>>();
    expectTypeOf(stream.final()).resolves.toEqualTypeOf<ChatCompletion>();
  });
});

test('streams keep their types when relayed to a page', () => {
  expectTypeOf(ChatStream.fromReadableStream(readable)).toEqualTypeOf<ChatStream>();
  const parsing = ChatStream.fromReadableStream(readable, { schema, streamIdleTimeout: 5 });
  expectTypeOf(parsing.final()).resolves.toEqualTypeOf<ParsedCompletion<Output>>();
  expectTypeOf(Stream.fromReadableStream(readable)).toEqualTypeOf<Stream<ChatCompletionChunk>>();
  expectTypeOf(parsing.toReadableStream()).toExtend<BodyInit>();
});

describe('run()', () => {
  test('infers the arguments of each tool from its schema', () => {
    const run = completions.run({
      ...request,
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

  test('accepts predefined tools and its own options', () => {
    const parameters = z.object({ n: z.number() });
    const double: Tool<{ n: number }> = { name: 'double', parameters, execute: ({ n }) => 2 * n };
    const tools: Tool[] = [double];
    expectTypeOf(double).toExtend<Tool>();
    void completions.run({ ...request, tools }, { maxRounds: 2, onToolError: String });
    void completions.run({ ...request, tools: [double] });
    // @ts-expect-error each round would need its own key
    void completions.run({ ...request, tools }, { idempotencyKey: 'k' });
    // @ts-expect-error the field is named temperature
    void completions.run({ ...request, tools, temprature: 1 });
    // @ts-expect-error execute() is missing
    void completions.run({ ...request, tools: [{ name: 'double', parameters }] });
  });

  test('is described by the `run` field of errors', () => {
    expectTypeOf(error.run).toEqualTypeOf<ToolRunProgress | undefined>();
  });
});
