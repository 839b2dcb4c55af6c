import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { InvoiceLine, MockGateway, MockGatewayOptions } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import type { MockServer } from 'polygate/mock/node';

import { GenerationQueue } from '../../../src/integrations/bullmq/index.ts';
import { startRedis } from '../../integrations/bullmq/redis-server.ts';
import type { RedisServer } from '../../integrations/bullmq/redis-server.ts';
import type { ProcessSettings, WorkerOptions } from './settings.ts';

const fromSource = new URL('../../from-source.ts', import.meta.url).href;
const skewedClock = new URL('skewed-clock.ts', import.meta.url).href;
const program = fileURLToPath(new URL('process.ts', import.meta.url));

/** How long rows may take to end, in ms: ten times as long as on a quiet machine, and less than a test. */
const maxTime = 600_000;

/** What the gateway has seen in some period. */
export interface Period {
  readonly posts: number;
  /** Number of 429 responses. */
  readonly rejections: number;
  /** Highest number of submissions in flight. */
  readonly peak: number;
}

/** A row that `results()` has yielded, when, and the id of its task. */
interface TakenRow {
  readonly id: string;
  readonly status: string;
  readonly at: string;
  readonly task?: string | undefined;
}

/** A queue on a Redis of its own, a gateway in this process, and processes that work on the queue. */
export class Scenario {
  readonly name: string;
  readonly mock: MockGateway;
  readonly redis: RedisServer;
  readonly queue: GenerationQueue;
  /** Ids of the rows that were added. */
  readonly ids: string[] = [];
  /** What the process that takes results has reported. */
  readonly taken: TakenRow[] = [];
  /** Called after the gateway has handled a submission and before it responds. */
  onHandled: ((worker: string) => Promise<void>) | undefined;
  readonly startedAt = performance.now();
  readonly #served: MockGateway;
  #server: MockServer;
  /** All charges until the last period. */
  readonly charges: InvoiceLine[] = [];
  readonly #processes = new Map<string, ChildProcess>();

  private constructor(
    name: string,
    mock: MockGateway,
    served: MockGateway,
    server: MockServer,
    redis: RedisServer,
    maxUsd: number | undefined,
  ) {
    this.name = name;
    this.mock = mock;
    this.#served = served;
    this.#server = server;
    this.redis = redis;
    this.queue = this.open(maxUsd);
  }

  static async start(
    name: string,
    options: MockGatewayOptions,
    { maxUsd }: { maxUsd?: number } = {},
  ): Promise<Scenario> {
    const mock = createMockGateway({ tasks: { durationMs: 1_000 }, ...options });
    // Each submission takes a while, so that there are some in flight at any time.
    mock.fail({ route: 'POST /v1/images/tasks', delayMs: 150 });
    const handled: { by?: (worker: string) => Promise<void> | undefined } = {};
    const served = hooked(mock, handled);
    const server = await listen(served);
    const redis = await startRedis('--appendfsync', 'always');
    const scenario = new Scenario(name, mock, served, server, redis, maxUsd);
    handled.by = (worker) => scenario.onHandled?.(worker);
    const reader = scenario.#spawn('reader', 'read', {});
    await once(reader, 'message');
    reader.on('message', (row: TakenRow) => scenario.taken.push(row));
    return scenario;
  }

  /** Opens the queue once more. */
  open(maxUsd?: number): GenerationQueue {
    const { apiKey } = this.mock;
    const { baseURL } = this.#server;
    const gateway = new Polygate({ apiKey, baseURL, logLevel: 'off' });
    return new GenerationQueue(this.name, { gateway, connection: { url: this.redis.url }, maxUsd });
  }

  /** Adds rows. */
  async add(count: number): Promise<void> {
    const from = this.ids.length;
    const ids = Array.from({ length: count }, (_, row) => `row ${from + row}`);
    this.ids.push(...ids);
    const { images } = new Polygate({ apiKey: 'sk-unused', baseURL: this.#server.baseURL });
    await this.queue.addBulk(ids, (id) => ({
      id,
      submission: images.submission({ model: 'prism-image', prompt: id }),
    }));
  }

  /** Starts a worker. Resolves when it works. */
  async work(worker: string, options: WorkerOptions = {}): Promise<ChildProcess> {
    const child = this.#spawn(worker, 'work', options);
    await Promise.race([once(child, 'message'), once(child, 'exit')]);
    return child;
  }

  /** Kills a worker. Resolves when it is gone. */
  async kill(worker: string): Promise<void> {
    const child = this.#processes.get(worker);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Stops Redis and its clock for a while. Connections stay open. */
  async freezeRedis(ms: number): Promise<void> {
    this.redis.freeze();
    await sleep(ms);
    this.redis.unfreeze();
  }

  /** Refuses connections for a while. */
  async stopGateway(ms: number): Promise<void> {
    const { port } = this.#server;
    await this.#server.close();
    await sleep(ms);
    this.#server = await listen(this.#served, { port });
  }

  /** Number of rows that the process that takes results has got. */
  async ended(count: number): Promise<void> {
    const giveUpAt = performance.now() + maxTime;
    while (new Set(this.taken.map(({ id }) => id)).size < count) {
      if (performance.now() > giveUpAt) {
        const state = JSON.stringify(await this.queue.count());
        throw new Error(`${this.taken.length} of ${count} rows have ended in time; ${state}`);
      }
      await sleep(100);
    }
  }

  /** What the gateway has seen since the last call. */
  nextPeriod(): Period {
    const { mock } = this;
    const posts = mock.requests.filter(({ method }) => method === 'POST');
    const rejections = posts.filter(({ status }) => status === 429).length;
    const period = { posts: posts.length, rejections, peak: mock.peakInFlight };
    this.charges.push(...mock.invoice);
    mock.clearRecords();
    return period;
  }

  /** Stops everything that was started. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#processes.keys()) await this.kill(worker);
    await this.queue.close();
    await this.#server.close();
    await this.redis[Symbol.asyncDispose]();
  }

  #spawn(worker: string, role: ProcessSettings['role'], options: WorkerOptions): ChildProcess {
    const { concurrency = 10, maxUsd, kill, skewMs = 0 } = options;
    const { name } = this;
    const { apiKey } = this.mock;
    const { baseURL } = this.#server;
    const redis = this.redis.url;
    const settings = { role, name, worker, apiKey, baseURL, redis, concurrency, maxUsd, kill };
    const imports = ['--import', skewedClock, '--import', fromSource];
    const child = spawn(process.execPath, [...imports, program, JSON.stringify(settings)], {
      env: { ...process.env, CLOCK_SKEW_MS: String(skewMs) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#processes.set(worker, child);
    return child;
  }
}

/** A gateway that reports each submission that it has accepted before it responds. */
function hooked(
  mock: MockGateway,
  handled: { by?: (worker: string) => Promise<void> | undefined },
): MockGateway {
  return {
    ...mock,
    fetch: async (input, init) => {
      const response = await mock.fetch(input, init);
      const isPost = input instanceof Request && input.method === 'POST';
      if (isPost && response.ok) await handled.by?.(input.headers.get('x-worker') ?? '');
      return response;
    },
  };
}
