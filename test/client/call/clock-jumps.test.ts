import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import type { Clock } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGateway, MockGatewayOptions } from '../../../src/mock/index.ts';
import { chat, drain, image } from '../support.ts';

const hour = 3_600_000;

interface Scenario {
  settings?: MockGatewayOptions;
  /** Resolves to what must not depend on the system time. */
  run: (gateway: Polygate, mock: MockGateway) => Promise<unknown>;
}

const rejected = { status: 429, code: 'concurrency_limit_exceeded', retryAfter: 2 };
const route = 'POST /v1/images/tasks';

const scenarios: Record<string, Scenario> = {
  'a wait and its polls': {
    settings: { tasks: { durationMs: 60_000 } },
    run: async (gateway) => (await gateway.images.generate(image)).urls.length,
  },
  'a wait until its deadline': {
    settings: { tasks: { durationMs: hour } },
    run: (gateway) => gateway.images.generate(image, { waitTimeout: 30_000 }),
  },
  'the pause after a 429': {
    run: async (gateway, mock) => {
      mock.fail({ ...rejected, route, times: 3 });
      const submits = [1, 2, 3].map(() => gateway.images.submit(image));
      return (await Promise.all(submits)).length;
    },
  },
  'the time in the queue': {
    run: (gateway, mock) => {
      mock.fail({ ...rejected, route });
      return gateway.withOptions({ maxQueueTime: 9_000 }).images.submit(image);
    },
  },
  'the idle time of a slow stream': {
    settings: { chunkDelayMs: 20_000 },
    run: async (gateway) => (await drain(gateway.chat.completions.stream(chat))).length,
  },
  'the idle time of a stream that stops': {
    run: async (gateway, mock) => {
      mock.fail({ route: 'POST /v1/chat/completions', stallBody: 400 });
      return drain(gateway.chat.completions.stream(chat));
    },
  },
};

describe.each(Object.entries(scenarios))('%s', (_, { settings, run }) => {
  test.each([-hour, hour])('ignores that the system time jumps by %i ms', async (jump) => {
    const observe = async (jumpMs: number) => {
      const mock = createMockGateway({ clock: 'virtual', ...settings });
      let offset = 0;
      const clock: Clock = {
        now: () => mock.clock.now() + (offset += jumpMs),
        monotonic: () => mock.clock.now(),
        sleep: (ms, signal) => mock.clock.sleep(ms, signal),
      };
      const { apiKey, baseURL, fetch } = mock;
      const fixed = { random: () => 0.5, logLevel: 'off' } as const;
      const gateway = new Polygate({ apiKey, baseURL, fetch, clock, ...fixed });
      const result = run(gateway, mock).catch(({ name }: Error) => name);
      const value = await mock.clock.settle(result);
      return { value, sentAt: mock.requests.map(({ at }) => at), endedAt: mock.clock.now() };
    };
    expect(await observe(jump)).toEqual(await observe(0));
  });
});

test.each([-hour, hour])(
  'the system clock survives a jump by %i ms between the polls of a task',
  async (jump) => {
    const { now } = Date;
    let offset = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + offset);
    onTestFinished(() => void vi.restoreAllMocks());
    let polls = 0;
    const server = createServer((request, response) => {
      // While the client waits for its next poll.
      setTimeout(() => (offset += jump), 20);
      response.setHeader('content-type', 'application/json');
      if (request.method === 'POST') {
        response.writeHead(202).end('{"id":"task_1","status":"queued"}');
        return;
      }
      polls += 1;
      const url = 'https://files.example/1.png';
      response.end(
        JSON.stringify(
          polls < 3 ? { status: 'running' } : { status: 'succeeded', data: [{ url }] },
        ),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const baseURL = `http://127.0.0.1:${port}`;
    const gateway = new Polygate({ apiKey: 'sk-test', baseURL, logLevel: 'off' });
    const done = await gateway.images.generate(image, { pollInterval: 200 });
    expect(done.urls).toEqual(['https://files.example/1.png']);
  },
);
