import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { nodeFetch } from 'polygate/node';
import { describe, expect, onTestFinished, test } from 'vitest';

import { APIError, Polygate } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import { rejection } from '../../support/rejection.ts';
import {
  caught,
  chat,
  clientOf,
  completion,
  errorReply,
  image,
  jsonReply,
  scripted,
  turns,
  virtualClock,
} from '../support.ts';

setFlagsFromString('--expose-gc');
// The flag only affects contexts created after it is set.
const collectGarbage = runInNewContext('gc') as () => void;

/** Collects garbage until all of these objects are gone, or gives up. Returns how many are left. */
async function countKept(references: readonly WeakRef<object>[]): Promise<number> {
  const kept = () => references.filter((reference) => reference.deref()).length;
  for (let attempt = 0; attempt < 10 && kept() > 0; attempt += 1) {
    // A WeakRef keeps its object until the end of the current turn.
    await turns();
    collectGarbage();
  }
  return kept();
}

/** A client whose service leaves every task running, with a weak reference to everything that passes `fetch`. */
function observed() {
  const clock = virtualClock();
  const reply = jsonReply(
    200,
    { id: 'task_1', status: 'running' },
    { 'x-request-id': 'request_1' },
  );
  const references: WeakRef<object>[] = [];
  const inner = scripted((sent) => {
    references.push(new WeakRef(sent.signal), new WeakRef(sent.headers));
    return reply(sent);
  });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await inner.fetch(input, init);
    inner.sent.length = 0;
    references.push(new WeakRef(response), new WeakRef(response.headers));
    if (init?.signal) references.push(new WeakRef(init), new WeakRef(init.signal));
    return response;
  };
  return { clock, references, gateway: clientOf(fetch, { clock }) };
}

/** Starts something that waits, and returns what its caller keeps. */
type Start = (gateway: Polygate) => Promise<unknown>;

describe('while it waits for the next poll, nothing of a request or response is kept by', () => {
  const starts: Readonly<Record<string, Start>> = {
    'a submitted task': async (gateway) => gateway.images.submit(image),
    'the wait of a submitted task': async (gateway) => {
      const task = await gateway.images.submit(image);
      return { task, result: task.wait() };
    },
    'a wait by id': async (gateway) => ({ result: gateway.images.wait('task_1') }),
    'the updates of a task': async (gateway) => {
      const updates = gateway.images.task('task_1').updates();
      await updates.next();
      return { updates, next: updates.next() };
    },
    'generate()': async (gateway) => ({ result: gateway.images.generate(image) }),
    'generate() whose response is requested': async (gateway) => ({
      result: gateway.images.generate(image).withResponse(),
    }),
  };

  test.each(Object.entries(starts))('%s', async (_, start) => {
    const { clock, references, gateway } = observed();
    const kept = await start(gateway);
    await turns();
    await clock.advance(0);
    expect(references.length).toBeGreaterThan(3);
    expect(await countKept(references)).toBe(0);
    expect(kept).toBeDefined();
  });
});

test('the metadata of a task still has every header of its submission', async () => {
  const { references, gateway } = observed();
  const { meta } = await gateway.images.submit(image);
  expect(await countKept(references)).toBe(0);
  expect(meta.requestId).toBe('request_1');
  expect(Object.keys(meta)).toContain('headers');
  expect({ ...meta }.headers).toBeInstanceOf(Headers);
  expect(meta.headers).toBeInstanceOf(Headers);
  expect(Object.fromEntries(meta.headers)).toEqual({
    'content-type': 'application/json',
    'x-request-id': 'request_1',
  });
});

test('a budget keeps nothing of a chat with an unknown outcome but what it has reserved', async () => {
  const references: WeakRef<object>[] = [];
  const { fetch } = scripted(
    jsonReply(200, completion, { 'x-svc-charge-usd': '0.01' }),
    errorReply(500),
  );
  const gateway = clientOf(
    async (input, init) => {
      const response = await fetch(input, init);
      references.push(new WeakRef(response));
      return response;
    },
    { budget: { maxUsd: 0.02 } },
  );
  await gateway.chat.completions.create(chat);
  expect(await caught(gateway.chat.completions.create(chat))).toMatchObject({ outcome: 'unknown' });
  expect((await caught(gateway.chat.completions.create(chat))).message).toContain(
    '0.01 USD reserved',
  );
  expect(references).toHaveLength(2);
  expect(await countKept(references)).toBe(0);
});

test('an error keeps nothing of a response that the fetch for Node has received', async () => {
  const mock = createMockGateway();
  const server = await listen(mock);
  const fetch = nodeFetch();
  onTestFinished(async () => {
    await fetch.close();
    await server.close();
  });
  mock.fail({ status: 500 });
  const references: WeakRef<object>[] = [];
  const gateway = new Polygate({
    apiKey: mock.apiKey,
    baseURL: server.baseURL,
    logLevel: 'off',
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      references.push(new WeakRef(response));
      return response;
    },
  });
  const { meta } = await rejection(APIError, gateway.chat.completions.create(chat));
  expect(references).toHaveLength(1);
  expect(await countKept(references)).toBe(0);
  expect(meta?.headers.get('content-type')).toContain('application/json');
});
