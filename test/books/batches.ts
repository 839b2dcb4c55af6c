/** Books of batches. */
import { Polygate } from 'polygate';
import type { Journal, PolygateOptions } from 'polygate';
import { createMockGateway } from 'polygate/mock';

import {
  bodyOf,
  client,
  clientWithoutPrices,
  loadingClient,
  ended,
  learning,
  mcp,
  open,
  proxy,
  usageOf,
} from './books.ts';
import type { BookKind, Usage } from './books.ts';
import { orderText } from './orders.ts';
import type { Order } from './orders.ts';

/** Runs orders as a batch on a journal that remains. */
function batchOn(
  { options }: ReturnType<typeof open>,
  budget: PolygateOptions['budget'],
  maxUsd: number | undefined,
) {
  const { clock } = createMockGateway({ clock: 'virtual' });
  const create = () => new Polygate({ ...options, clock, budget });
  let gateway = create();
  const lines: string[] = [];
  const journal: Journal = {
    async *read() {
      yield* lines.slice();
    },
    append: async (line) => void lines.push(line),
  };
  let usage: Usage = { spentUsd: 0, reservedUsd: 0 };
  let unkeyed = 0;
  const run = async (orders: readonly Order[]) => {
    const rows = gateway.batch(
      orders,
      (order) => gateway.images.submission(bodyOf(order), { idempotencyKey: order.key }),
      {
        journal,
        maxUsd,
        id: (order) => (order.key === undefined ? `no ${(unkeyed += 1)}` : orderText(order)),
        onProgress: ({ usd, estimatedUsd = 0 }) => {
          usage = { spentUsd: usd, reservedUsd: estimatedUsd };
        },
      },
    );
    for await (const row of rows) void row;
  };
  return {
    gateway: () => gateway,
    usage: () => usage,
    send(orders: readonly Order[]) {
      const unique = new Map(orders.map((order, at) => [order.key ? orderText(order) : at, order]));
      return [clock.settle(ended(run([...unique.values()])))];
    },
    restart() {
      gateway = create();
    },
  };
}

/** `maxUsd` of a batch. Each step is a run. */
export const batch: BookKind = {
  name: 'batch',
  canHold: false,
  waits: true,
  checksLate: true,
  expects: learning,
  async open(settings, maxUsd) {
    const opened = open(this, settings, maxUsd);
    const { send, usage, restart } = batchOn(opened, undefined, maxUsd);
    return { service: opened.service, send, usage: async () => usage(), restart };
  },
};

/** The `budget` of a client that runs batches without a limit of their own. */
export const clientOfBatch: BookKind = {
  name: 'client of a batch',
  canHold: false,
  waits: true,
  checksLate: true,
  expects: learning,
  async open(settings, maxUsd) {
    const opened = open(this, settings, maxUsd);
    const { send, gateway } = batchOn(opened, { maxUsd }, undefined);
    await gateway().models.list();
    return { service: opened.service, send, usage: async () => usageOf(gateway()) };
  },
};

/** The books that need no other process. */
export const booksInMemory: readonly BookKind[] = [
  client,
  clientWithoutPrices,
  loadingClient,
  proxy,
  batch,
  clientOfBatch,
  mcp,
];
