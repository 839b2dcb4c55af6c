/**
 * What is active in the code of the user that the client calls. Callbacks run in the caller's context, so that what they
 * trace is next to the spans of the client, not inside of them: they do not delay an operation, and often run after one.
 * Hooks are a part of sending a request, and run with its span active.
 */
import { context, propagation } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

import { activeName, tracedGateway } from './traced-gateway.ts';

const image = { model: 'prism-image', prompt: 'A harbor' };
const messages = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
const question = { model: 'aurora-chat', messages };

let service: Awaited<ReturnType<typeof tracedGateway>>;
/** The active span in each callback. */
let active: Record<string, unknown>;
const report = (callback: string) => () => {
  active[callback] = activeName();
};

beforeEach(async () => {
  service = await tracedGateway();
  active = {};
});
afterEach(() => service[Symbol.asyncDispose]());

test('callbacks run in the context of the caller', async () => {
  const gateway = service.createClient({ onCharge: report('onCharge') });
  await service.inSpan('caller', () =>
    gateway.images.generate(image, {
      pollInterval: 100,
      onSubmit: report('onSubmit'),
      onUpdate: report('onUpdate'),
    }),
  );
  expect(active).toEqual({ onCharge: 'caller', onSubmit: 'caller', onUpdate: 'caller' });
});

test('tools run in the context of the caller, and what they trace is not part of a chat', async () => {
  const gateway = service.createClient();
  const weather = {
    name: 'get_weather',
    parameters: z.object({ city: z.string() }),
    async execute() {
      report('execute')();
      const { data } = await gateway.models.list();
      return data.length;
    },
  };
  const broken = { ...weather, name: 'get_city', execute: () => Promise.reject(new Error('No')) };
  await service.inSpan('caller', () =>
    gateway.chat.completions.run(
      {
        ...question,
        messages: [{ role: 'user', content: 'get_weather get_city' }],
        tools: [weather, broken],
      },
      { onToolError: report('onToolError') },
    ),
  );
  expect(active).toEqual({ execute: 'caller', onToolError: 'caller' });
  expect(service.paths()).toEqual([
    'caller',
    'caller > GET /v1/models',
    'caller > chat aurora-chat',
    'caller > chat aurora-chat',
  ]);
});

test('the rows of a batch are described in the context that reads its results', async () => {
  const gateway = service.createClient();
  const describe = (prompt: string) => {
    report('describe')();
    return gateway.images.submission({ ...image, prompt });
  };
  const rows = service.inSpan('caller', () =>
    gateway.batch(['one'], describe, { pollInterval: 100 }),
  );
  await service.inSpan('reader', async () => {
    for await (const _ of rows);
  });
  expect(active).toEqual({ describe: 'reader' });
});

test('hooks run with the span of the call active, and so does the onCharge of a client that has any', async () => {
  const gateway = service.createClient({
    onCharge: report('onCharge'),
    hooks: { beforeRequest: [report('beforeRequest')], afterResponse: [report('afterResponse')] },
  });
  await service.inSpan('caller', () => gateway.chat.completions.create(question));
  expect(active).toEqual({
    beforeRequest: 'chat aurora-chat',
    afterResponse: 'chat aurora-chat',
    onCharge: 'chat aurora-chat',
  });
});

test('a beforeRequest hook can send the traceparent of the call', async () => {
  const gateway = service.createClient({
    hooks: {
      beforeRequest: [
        ({ request }) =>
          propagation.inject(context.active(), request.headers, {
            set: (headers, name, value) => headers.set(name, value),
          }),
      ],
    },
  });
  await service.inSpan('caller', () => gateway.chat.completions.create(question));
  const [chat] = service.idsOf('chat aurora-chat');
  expect(service.mock.requests.at(-1)?.headers['traceparent']).toBe(
    `00-${chat?.traceId}-${chat?.spanId}-01`,
  );
});
