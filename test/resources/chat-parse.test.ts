import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import {
  AbortedError,
  StructuredOutputError,
  BadRequestError,
  ChatStream,
  ConfigurationError,
  ResponseValidationError,
} from '../../src/index.ts';
import type { ParseParams, StandardJsonSchema } from '../../src/index.ts';
import { onMock } from '../client/support.ts';
import {
  deltaEvent,
  streamingFetch,
  clientOf,
  doneEvent,
  textEvent,
  finishEvent,
  streamOf,
} from '../support/event-stream.ts';
import { collect, rejection } from '../support/rejection.ts';

const city = z.object({ name: z.string(), people: z.number(), rivers: z.array(z.string()) });
const messages = [{ role: 'user' as const, content: 'Describe Paris' }];
const parseParams = { model: 'aurora-chat', messages, response_format: city };

/** A client whose service responds with this choice, and the number of its requests. */
function clientWithChoice(choice: object, more: object = {}) {
  const headers = { 'x-request-id': 'req-7', 'x-svc-charge-usd': '0.25' };
  let requestCount = 0;
  const gateway = clientOf(async () => {
    requestCount += 1;
    return Response.json({ id: 'c-1', choices: [{ index: 0, ...choice }], ...more }, { headers });
  });
  return { gateway, requestCount: () => requestCount };
}

const choiceWith = (content: string | null, finish_reason = 'stop', more: object = {}) => ({
  message: { role: 'assistant', content, ...more },
  finish_reason,
});

describe('parse()', () => {
  test('adds the parsed content to the completion', async () => {
    const { gateway, mock } = onMock();
    const { data, meta } = await gateway.chat.completions.parse(parseParams).withResponse();
    expect(city.parse(data.parsed)).toEqual(data.parsed);
    expect(data.parsed).toEqual(JSON.parse(data.choices[0]?.message.content ?? ''));
    expect(meta.chargeUsd).toBe(mock.invoice[0]?.usd);
    expect(mock.requests).toHaveLength(1);
  });

  test('sends the JSON Schema, closed and strict, and all other params unchanged', async () => {
    const { gateway, mock } = onMock();
    const params = { ...parseParams, temperature: 0, made_up: [1] };
    await gateway.chat.completions.parse(params);
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        people: { type: 'number' },
        rivers: { type: 'array', items: { type: 'string' } },
      },
      required: ['name', 'people', 'rivers'],
      additionalProperties: false,
    };
    expect(mock.requests[0]?.body).toEqual({
      model: 'aurora-chat',
      messages,
      temperature: 0,
      made_up: [1],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema, strict: true },
      },
    });
  });

  test.each([
    ['a field is optional', z.object({ a: z.string().optional() }), false],
    [
      'an inner field is optional',
      z.object({ a: z.array(z.object({ b: z.int().optional() })) }),
      false,
    ],
    ['other fields are allowed', z.looseObject({ a: z.string() }), false],
    ['it is a record', z.object({ a: z.record(z.string(), z.number()) }), false],
    [
      'a field has the name of a schema keyword',
      z.object({ properties: z.object({ type: z.string() }) }),
      true,
    ],
    ['a field may be null', z.object({ a: z.string().nullable() }), true],
  ])(
    'decides whether the schema is strict if %s',
    async (_, schema: StandardJsonSchema<unknown>, strict) => {
      const { gateway, mock } = onMock();
      await gateway.chat.completions
        .parse({ ...parseParams, response_format: schema })
        .catch(() => undefined);
      expect(mock.requests[0]?.body).toMatchObject({
        response_format: { json_schema: { strict } },
      });
    },
  );

  test('names the schema after its title', async () => {
    const { gateway, mock } = onMock();
    const titled = city.meta({ title: 'A city & more' });
    await gateway.chat.completions.parse({ ...parseParams, response_format: titled });
    const json_schema = { name: 'A_city_more', schema: { title: 'A city & more' } };
    expect(mock.requests[0]?.body).toMatchObject({ response_format: { json_schema } });
  });

  test('accepts schemas of any library with JSON Schema support, even if they are functions', async () => {
    const validate = (value: unknown) => ({ value: Object.keys(Object(value)).length });
    const jsonSchema = { input: () => ({ type: 'object', properties: { a: { type: 'string' } } }) };
    const callable = Object.assign(() => 0, {
      '~standard': { version: 1 as const, vendor: 'mine', validate, jsonSchema },
    });
    const { gateway } = onMock();
    const { parsed } = await gateway.chat.completions.parse({
      ...parseParams,
      response_format: callable,
    });
    expect(parsed).toBe(1);
  });

  test('returns the output of the schema, even if it is asynchronous', async () => {
    const schema = z.object({ at: z.string() }).transform(async ({ at }) => new Date(at));
    const { gateway } = clientWithChoice(choiceWith('{"at":"2030-01-01T00:00:00Z"}'));
    const { parsed } = await gateway.chat.completions.parse({
      ...parseParams,
      response_format: schema,
    });
    expect(parsed).toEqual(new Date('2030-01-01'));
  });

  test.each([
    [
      'has no JSON Schema',
      { '~standard': { version: 1, vendor: 'v', validate: () => ({ value: 1 }) } },
    ],
    ['cannot be converted to JSON Schema', z.object({ at: z.date() })],
  ])('sends nothing if the schema %s', async (_, schema) => {
    const { gateway, mock } = onMock();
    // A caller without type checking can pass this.
    const untyped = {
      ...parseParams,
      response_format: schema,
    } as unknown as ParseParams<unknown> & {
      stream: false;
    };
    const { completions } = gateway.chat;
    const error = await rejection(ConfigurationError, completions.parse(untyped));
    expect(error.message).toMatch(/^response_format: /);
    await expect(completions.stream(untyped).final()).rejects.toBeInstanceOf(ConfigurationError);
    expect(mock.requests).toEqual([]);
  });

  test('rejects as create() does on errors and aborts', async () => {
    const { gateway, mock } = onMock();
    mock.fail({ route: 'POST /v1/chat/completions', status: 400 });
    await expect(gateway.chat.completions.parse(parseParams)).rejects.toBeInstanceOf(
      BadRequestError,
    );
    const aborted = gateway.chat.completions.parse(parseParams, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toBeInstanceOf(AbortedError);
    expect(mock.requests).toHaveLength(1);
  });

  test('leaves the body unread with asResponse()', async () => {
    const { gateway, mock } = onMock();
    const response = await gateway.chat.completions.parse(parseParams).asResponse();
    expect(await response.json()).toMatchObject({ object: 'chat.completion' });
    expect(mock.requests[0]?.body).toMatchObject({ response_format: { type: 'json_schema' } });
  });
});

const mismatches = [
  ['mismatch', choiceWith('{"name":"Paris","people":"many","rivers":[]}'), /people: .*number/],
  ['mismatch', choiceWith('Paris is a city.'), /Paris is a city/],
  ['mismatch', choiceWith(''), /Content: ""/],
  ['mismatch', choiceWith(null), /Content: ""/],
  [
    'length',
    choiceWith('{"name":"Par', 'length'),
    /^The completion reached the token limit \(length\)\. Increase max_completion_tokens\. It may have been/,
  ],
  [
    'content_filter',
    choiceWith('{"name":"Par', 'content_filter'),
    /^A content filter cut the completion off \(content_filter\)\. Change the prompt\. It may have been/,
  ],
  ['length', choiceWith('{"name":"Par', 'MAX_TOKENS'), /^The completion reached the token limit/],
  ['content_filter', choiceWith('{"name":"Par', 'SAFETY'), /^A content filter cut/],
  [
    'refused',
    choiceWith(null, 'stop', { refusal: 'I cannot say.' }),
    /^The model refused the request\. Change the prompt\. It may have been charged\. Content: "I cannot say/,
  ],
] as const;

describe('a completion that does not match the schema leads to a StructuredOutputError', () => {
  test.each(mismatches)('with the reason %s: %j', async (reason, choice, message) => {
    const { gateway, requestCount } = clientWithChoice(choice, { usage: { total_tokens: 9 } });
    const promise = gateway.chat.completions.parse(parseParams, { idempotencyKey: 'row-1' });
    const error = await rejection(StructuredOutputError, promise);
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error).toMatchObject({
      name: 'StructuredOutputError',
      reason,
      outcome: 'unknown',
      idempotencyKey: 'row-1',
      meta: { chargeUsd: 0.25 },
      completion: { id: 'c-1', usage: { total_tokens: 9 } },
    });
    const { content, refusal } = { refusal: undefined, ...choice.message };
    expect(error.text).toBe(refusal ?? content ?? '');
    expect(error.message).toMatch(message);
    expect(error.message).toContain('req-7');
    expect(error.issues).not.toEqual([]);
    expect(requestCount()).toBe(1);
  });

  test('whose message is one line of bounded length', async () => {
    const { gateway } = clientWithChoice(choiceWith('x\n'.repeat(5_000)));
    const error = await rejection(
      StructuredOutputError,
      gateway.chat.completions.parse(parseParams),
    );
    expect(error.message.length).toBeLessThan(1_000);
    expect(error.message).not.toContain('\n');
    expect(error.text).toHaveLength(10_000);
  });

  test('even if it has no choices', async () => {
    const gateway = clientOf(async () => Response.json({ choices: [] }));
    const error = await rejection(
      StructuredOutputError,
      gateway.chat.completions.parse(parseParams),
    );
    expect(error.reason).toBe('mismatch');
  });
});

describe('stream() with a schema', () => {
  test('yields the growing object, and then resolves to the result of parse()', async () => {
    const { gateway, mock } = onMock();
    const stream = gateway.chat.completions.stream(parseParams);
    const names: unknown[] = [];
    for await (const { name } of stream.partialObjects()) names.push(name);
    const completion = await stream.final();
    expect(completion.parsed).toEqual((await gateway.chat.completions.parse(parseParams)).parsed);
    expect(names.at(-1)).toBe(completion.parsed.name);
    expect(mock.requests[0]?.body).toEqual({ ...(mock.requests[1]?.body as object), stream: true });
  });

  test.each(mismatches)(
    'throws a mismatch in final() and not in the loop: %s',
    async (reason, choice) => {
      const { message, finish_reason } = choice;
      const gateway = clientOf(
        streamingFetch([deltaEvent(message), finishEvent(finish_reason), doneEvent]),
      );
      const stream = gateway.chat.completions.stream(parseParams, { idempotencyKey: 'row-1' });
      await collect(stream.partialObjects());
      const error = await rejection(StructuredOutputError, stream.final());
      const idempotencyKey = 'row-1';
      expect(error).toMatchObject({ reason, idempotencyKey, meta: { requestId: 'req-7' } });
      await expect(stream.final()).rejects.toBe(error);
    },
  );

  test('parses through tee() and on a page that reads the relayed stream', async () => {
    const content = '{"name":"Paris","people":2,"rivers":["Seine"]}';
    const gateway = clientOf(streamingFetch([textEvent(content), finishEvent(), doneEvent]));
    const [one, other] = gateway.chat.completions.stream(parseParams).tee();
    expect((await one.final()).parsed).toEqual(JSON.parse(content));
    const page = ChatStream.fromReadableStream(other.toReadableStream(), { schema: city });
    expect((await page.final()).parsed.rivers).toEqual(['Seine']);
    const mismatch = streamOf([textEvent('{}'), finishEvent(), doneEvent]).toReadableStream();
    const rejected = ChatStream.fromReadableStream(mismatch, { schema: city }).final();
    await expect(rejected).rejects.toBeInstanceOf(StructuredOutputError);
  });
});
