import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import * as chatEntry from '../src/chat.ts';
import { ChatClient } from '../src/chat.ts';
import * as wholeEntry from '../src/index.ts';
import { Polygate } from '../src/index.ts';
import { createMockGateway } from '../src/mock/index.ts';
import { rejection } from './support/rejection.ts';

const params = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: 'Hi' }] };

/** A client for chat and the whole client, of one reference gateway. */
function both() {
  const mock = createMockGateway({ clock: 'virtual' });
  const { apiKey, baseURL, fetch, clock } = mock;
  const options = { apiKey, baseURL, fetch, clock, logLevel: 'off' } as const;
  return { mock, gateway: new ChatClient(options), whole: new Polygate(options) };
}

describe('a client for chat alone', () => {
  test('chats as the whole client does', async () => {
    const { mock, gateway, whole } = both();
    const settle = <Result>(promise: Promise<Result>) => mock.clock.settle(promise);
    const answer = await settle(gateway.chat.completions.create(params));
    const same = await settle(whole.chat.completions.create(params));
    expect(answer.choices).toEqual(same.choices);
    const streamed = await settle(gateway.chat.completions.stream(params).final());
    expect(streamed.choices).toMatchObject([{ finish_reason: 'stop' }]);
  });

  test('parses answers and runs tools', async () => {
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

  test('lists models, counts what it spends, and tells of its slots', async () => {
    const { mock, gateway } = both();
    const models = await mock.clock.settle(gateway.models.list());
    expect(models.data.map(({ id }) => id)).toContain(params.model);
    await mock.clock.settle(gateway.withOptions({ maxRetries: 0 }).chat.completions.create(params));
    expect(gateway.spend.requests).toBe(1);
    expect(gateway.spend.totalUsd).toBeGreaterThan(0);
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
  });

  test('refuses an option that there is not, and shows no key', () => {
    expect(
      () => new ChatClient({ apiKey: 'sk-secret-key', baseUrl: 'https://host.example' } as object),
    ).toThrow('Did you mean baseURL?');
    const gateway = new ChatClient({ apiKey: 'sk-secret-key', baseURL: 'https://host.example' });
    expect(inspect(gateway, { showHidden: true, depth: 9 })).not.toContain('sk-secret-key');
  });

  test('throws the errors of the whole client', async () => {
    const { mock, gateway } = both();
    const call = mock.clock.settle(gateway.chat.completions.create({ ...params, model: 'none' }));
    const error = await rejection(wholeEntry.BadRequestError, call);
    expect(error.code).toBe('model_not_found');
  });
});

test('what both entries export is the same', () => {
  const { ChatClient: _, ...shared } = chatEntry;
  expect(wholeEntry).toMatchObject(shared);
});
