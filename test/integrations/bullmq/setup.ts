import type { Redis } from 'ioredis';
import { Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { MockGatewayOptions } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { expect } from 'vitest';

import { GenerationQueue } from '../../../src/integrations/bullmq/index.ts';
import type { GenerationQueueOptions } from '../../../src/integrations/bullmq/index.ts';
import { eventually } from '../../support/eventually.ts';

const model = 'prism-image';
let lastPrefix = 0;

/** Options of {@link setUp}. */
export interface SetUpOptions {
  mock?: MockGatewayOptions;
  client?: PolygateOptions;
  queue?: Partial<GenerationQueueOptions>;
}

/** A service on a socket, a client, and queues of one name and prefix, each as another process would have it. */
export async function setUp(url: string, { mock: mockOptions, client, queue }: SetUpOptions = {}) {
  const mock = createMockGateway({ tasks: { durationMs: 0 }, ...mockOptions });
  // Shortens the delays between polls.
  const fetch: typeof mock.fetch = async (...request) => {
    const { body, status, headers } = await mock.fetch(...request);
    if (status < 300) headers.set('retry-after', '0.1');
    return new Response(body, { status, headers });
  };
  const server = await listen({ ...mock, fetch });
  const gateway = new Polygate({
    apiKey: mock.apiKey,
    baseURL: server.baseURL,
    logLevel: 'off',
    maxRetries: 0,
    ...client,
  });
  lastPrefix += 1;
  const prefix = `test${lastPrefix}`;
  const queues: GenerationQueue[] = [];
  const open = (options: Partial<GenerationQueueOptions> = {}) => {
    const opened = new GenerationQueue('pictures', {
      gateway,
      connection: { url },
      prefix,
      ...queue,
      ...options,
    });
    queues.push(opened);
    return opened;
  };
  const picture = (prompt: string) => gateway.images.submission({ model, prompt });
  return {
    mock,
    server,
    gateway,
    prefix,
    open,
    queue: open(),
    picture,
    /** What an id is added with in most tests. */
    describeRow: (id: string) => ({ id, submission: picture(id) }),
    /** Number of submissions that the service has received. */
    posts: () => mock.requests.filter(({ method }) => method === 'POST').length,
    async [Symbol.asyncDispose]() {
      await Promise.all(queues.map((opened) => opened.close()));
      await server.close();
    },
  };
}

/** As if the worker had lost the lock of the job of row `a`. */
export async function loseJob(client: Redis, prefix: string): Promise<void> {
  const key = (name: string) => `${prefix}:pictures:${name}`;
  await client
    .multi()
    .del(`${key('row-a')}:lock`)
    .lrem(key('active'), 0, 'row-a')
    .rpush(key('wait'), 'row-a')
    .zadd(key('marker'), 0, '0')
    .exec();
}

/** Waits until a matcher passes. */
export function until<Value>(value: () => Value | Promise<Value>) {
  const check = (matches: (actual: Value) => void) =>
    eventually(async () => matches(await value()));
  return {
    toBe: (expected: Value) => check((actual) => expect(actual).toBe(expected)),
    toEqual: (expected: Value) => check((actual) => expect(actual).toEqual(expected)),
    toBeGreaterThan: (min: number) => check((actual) => expect(actual).toBeGreaterThan(min)),
  };
}
