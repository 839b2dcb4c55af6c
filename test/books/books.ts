/** The books that every scenario drives, each through what its users call. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { createProxyHandler, memoryStore } from 'polygate/proxy';
import type { Store } from 'polygate/proxy';
import { vi } from 'vitest';

import { contextOf } from '../../src/internal.ts';
import { mcpSubmissions } from '../support/mcp-submissions.ts';
import { orderText, promptOf, sumOf } from './orders.ts';
import type { Order, Settings } from './orders.ts';
import { Service } from './service.ts';
import type { Sender } from './service.ts';

/** What a book says. */
export interface Usage {
  readonly spentUsd: number;
  readonly reservedUsd: number;
}

/** A book with the service that it pays. */
export interface Book {
  readonly service: Service;
  /** Sends orders at the same time. Each promise resolves when its order has ended, and never rejects. */
  send(orders: readonly Order[]): readonly Promise<unknown>[];
  /** What counts against the limit, when nothing is being sent. */
  usage(): Promise<Usage>;
  /** Replaces the process. Undefined if the book does not outlive it. */
  restart?(): void;
  /** Ends the window of the limit. Undefined if it has none. */
  startAnew?(): Promise<void>;
  close?(): void;
}

/** A kind of book. */
export interface BookKind extends Sender {
  readonly name: string;
  open(settings: Settings, maxUsd: number): Promise<Book>;
  /** Whether responses can be held back until the next step. */
  readonly canHold: boolean;
  /** Whether it waits for one response before it sends another request. */
  readonly waits: boolean;
}

export const bodyOf = (order: Order) => ({
  model: order.model,
  prompt: promptOf(order),
  ...(order.units > 1 && { n: order.units }),
});

export const ended = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch(() => undefined);

/** Opens a service for a book, and the options of its client. */
export function open(sender: Sender, settings: Settings, limitUsd: number) {
  const service = new Service(settings, sender);
  service.limitUsd = limitUsd;
  const options: PolygateOptions = {
    apiKey: 'sk-test',
    baseURL: service.baseURL,
    fetch: service.fetch,
    maxRetries: 0,
    concurrency: settings.slots || false,
    logLevel: 'off',
    // Nothing waits: a timeout never ends.
    clock: createMockGateway({ clock: 'virtual' }).clock,
  };
  return { service, options };
}

/** A class of requests reserves its largest charge, and one of which nothing is known that of any other. */
export const learning: Sender['expects'] = ({ listed, learned, largest }) =>
  listed === undefined ? largest : Math.max(listed, learned);

export const usageOf = (gateway: Polygate): Usage => ({
  spentUsd: gateway.spend.totalUsd,
  reservedUsd: contextOf(gateway).reservedUsd,
});

/** Where a client has its prices from. */
type PriceSource = 'loaded before' | 'loads them' | 'none';

const clientWith = (name: string, expects: Sender['expects'], prices: PriceSource): BookKind => ({
  name,
  canHold: true,
  waits: true,
  checksLate: true,
  expects,
  async open(settings, maxUsd) {
    const { service, options } = open(this, settings, maxUsd);
    const fetch: typeof globalThis.fetch = (input, init) =>
      prices === 'none' && new Request(input, init).method === 'GET'
        ? Promise.resolve(new Response(null, { status: 503 }))
        : service.fetch(input, init);
    const gateway = new Polygate({ ...options, fetch, budget: { maxUsd } });
    if (prices === 'loaded before') await gateway.models.list();
    return {
      service,
      send: (orders) =>
        orders.map((order) =>
          ended(gateway.images.submit(bodyOf(order), { idempotencyKey: order.key })),
        ),
      usage: async () => usageOf(gateway),
    };
  },
});

/** The `budget` of a client that has loaded the prices. */
export const client = clientWith('client', learning, 'loaded before');

/** The same, if only the first charges show what a request costs. */
export const clientWithoutPrices = clientWith(
  'client without prices',
  ({ largest }) => largest,
  'none',
);

/** The same, whose first request needs the prices. */
export const loadingClient = clientWith('client that loads prices', learning, 'loads them');

/** The `limits` of a proxy with a store. */
export const proxyWith = (
  name: string,
  makeStore: () => Store,
  startAnew: Book['startAnew'],
): BookKind => ({
  name,
  canHold: true,
  waits: false,
  checksLate: false,
  // What an unlisted model reserves.
  expects: ({ listed, learned }) => (listed === undefined ? 0.02 : Math.max(listed, learned)),
  async open(settings, usd) {
    const { service } = open(this, settings, usd);
    const store = makeStore();
    const user = `user ${crypto.randomUUID()}`;
    const create = () =>
      createProxyHandler({
        apiKey: 'sk-test',
        baseURL: service.baseURL,
        authorize: () => user,
        limits: { usd, window: '1d', unpriced: 'allow', chatUsd: 0.02 },
        store,
        fetch: service.fetch,
        onError: () => undefined,
      });
    let handler = create();
    return {
      service,
      send: (orders) =>
        orders.map(async (order) => {
          const headers = {
            'content-type': 'application/json',
            ...(order.key !== undefined && { 'x-idempotency-key': order.key }),
          };
          const request = new Request('https://app.example/v1/images/tasks', {
            method: 'POST',
            headers,
            body: JSON.stringify(bodyOf(order)),
          });
          const response = await handler(request);
          await ended(response.text());
        }),
      async usage() {
        const { usd: spentUsd, reservedUsd } = await handler.usage(user);
        return { spentUsd, reservedUsd };
      },
      restart() {
        service.forgetPrices();
        handler = create();
      },
      ...(startAnew && { startAnew }),
    };
  },
});

/** The store in memory follows the system time. */
export const proxy = proxyWith('proxy', memoryStore, async () => {
  vi.setSystemTime(Date.now() + 86_400_000);
});

/** Where files need no disk, if the system has such a folder. */
const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** `--max-usd` of the MCP server. The key of a call is derived from its arguments, so each body has its own. */
export const mcp: BookKind = {
  name: 'MCP server',
  canHold: true,
  waits: true,
  checksLate: true,
  expects: learning,
  async open(settings, maxUsd) {
    const { service, options } = open(this, settings, maxUsd);
    const gateway = new Polygate(options);
    const folder = mkdtempSync(join(inMemory, 'polygate-books-'));
    const { submissions, budget, call } = mcpSubmissions(gateway, folder, maxUsd);
    let unkeyed = 0;
    return {
      service,
      send: (orders) =>
        orders.map((order) => {
          const { model, prompt, ...params } = bodyOf(order);
          unkeyed += 1;
          const idempotencyKey = encodeURIComponent(order.key ? orderText(order) : `${unkeyed}`);
          const request = { kind: 'image' as const, model, prompt, params };
          const body = { ...params, model, prompt };
          const output = join(folder, '{id}.{ext}');
          const tool = 'generate_image';
          return ended(submissions.open({ tool, request, body, idempotencyKey, output }, call));
        }),
      usage: async () => amountsIn(budget.text, maxUsd, budget.leftUsd),
      close: () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};

/** What the server says about its budget. It says less than a limit that was exceeded. */
function amountsIn(text: string, maxUsd: number, leftUsd: number): Usage {
  const [, spent = '0'] = /\(\$([\d.]+) charged/.exec(text) ?? [];
  const [, reserved = '0'] = /\$([\d.]+) reserved/.exec(text) ?? [];
  const said = Number(spent) + Number(reserved);
  const used = leftUsd > 0 ? sumOf([maxUsd, -leftUsd]) : Math.max(said, maxUsd);
  return { spentUsd: Number(spent), reservedUsd: sumOf([used, -Number(spent)]) };
}
