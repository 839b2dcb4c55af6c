import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import * as chatEntry from '../src/chat.ts';
import { ChatClient } from '../src/chat.ts';
import * as mainEntry from '../src/index.ts';
import { Polygate } from '../src/index.ts';
import { createMockGateway } from '../src/mock/index.ts';
import { rejection } from './support/rejection.ts';

const params = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: 'Hi' }] };

/** A chat client and a full client of the same reference gateway. */
function createBothClients() {
  const mock = createMockGateway({ clock: 'virtual' });
  const { apiKey, baseURL, fetch, clock } = mock;
  const options = { apiKey, baseURL, fetch, clock, logLevel: 'off' } as const;
  return { mock, gateway: new ChatClient(options), fullClient: new Polygate(options) };
}

describe('ChatClient', () => {
  test('returns the same completions as the full client', async () => {
    const { mock, gateway, fullClient } = createBothClients();
    const settle = <Result>(promise: Promise<Result>) => mock.clock.settle(promise);
    const completion = await settle(gateway.chat.completions.create(params));
    const expected = await settle(fullClient.chat.completions.create(params));
    expect(completion.choices).toEqual(expected.choices);
    const streamed = await settle(gateway.chat.completions.stream(params).final());
    expect(streamed.choices).toMatchObject([{ finish_reason: 'stop' }]);
  });

  test('parses completions and runs tools', async () => {
    const message = { role: 'assistant', content: '{"answer":42}' };
    const completion = { id: 'c-1', choices: [{ index: 0, message, finish_reason: 'stop' }] };
    const fetch = async () => Response.json(completion);
    const { chat } = new ChatClient({ apiKey: 'sk-test', baseURL: 'https://host.example', fetch });
    const response_format = z.object({ answer: z.number() });
    const { parsed } = await chat.completions.parse({ ...params, response_format });
    expect(parsed).toEqual({ answer: 42 });
    const { rounds } = await chat.completions.run({ ...params, tools: [] });
    expect(rounds).toHaveLength(1);
  });

  test('lists models and reports spend and concurrency', async () => {
    const { mock, gateway } = createBothClients();
    const models = await mock.clock.settle(gateway.models.list());
    expect(models.data.map(({ id }) => id)).toContain(params.model);
    await mock.clock.settle(gateway.withOptions({ maxRetries: 0 }).chat.completions.create(params));
    expect(gateway.spend.requests).toBe(1);
    expect(gateway.spend.totalUsd).toBeGreaterThan(0);
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
  });

  test('from withOptions with another API key or base URL shares nothing', async () => {
    const { mock, gateway } = createBothClients();
    await mock.clock.settle(gateway.chat.completions.create(params));
    for (const changes of [{ apiKey: 'sk-other' }, { baseURL: 'https://other.example' }]) {
      const other = gateway.withOptions(changes);
      expect(other.spend.requests).toBe(0);
      expect(other.concurrency.limit).toBeUndefined();
    }
  });

  test('rejects an unknown option and does not print the API key', () => {
    expect(
      () => new ChatClient({ apiKey: 'sk-secret-key', baseUrl: 'https://host.example' } as object),
    ).toThrow('Did you mean baseURL?');
    const gateway = new ChatClient({ apiKey: 'sk-secret-key', baseURL: 'https://host.example' });
    expect(inspect(gateway, { showHidden: true, depth: 9 })).not.toContain('sk-secret-key');
  });

  test('throws the same error classes as the full client', async () => {
    const { mock, gateway } = createBothClients();
    const call = mock.clock.settle(gateway.chat.completions.create({ ...params, model: 'none' }));
    const error = await rejection(mainEntry.BadRequestError, call);
    expect(error.code).toBe('model_not_found');
  });
});

test('polygate exports every value that polygate/chat exports, except ChatClient', () => {
  const { ChatClient: _, ...shared } = chatEntry;
  expect(mainEntry).toMatchObject(shared);
});
