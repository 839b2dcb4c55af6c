import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fileJournal } from 'polygate/journal';
import { createMockGateway } from 'polygate/mock';
import type { MockGateway, MockGatewayOptions } from 'polygate/mock';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { PaymentRequiredError, Polygate } from '../../../src/index.ts';
import type { BatchRow } from '../../../src/index.ts';
import { rejection } from '../../support/rejection.ts';

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'polygate-rerun-'));
});
afterAll(() => rm(folder, { recursive: true }));

const inputs = Array.from({ length: 200 }, (_, row) => `Harbor ${row}`);
const submits = 'POST /v1/images/tasks';

/** A gateway and a journal file, which stay while processes come and go. */
function start(options: MockGatewayOptions = {}) {
  files += 1;
  const path = join(folder, `${files}.jsonl`);
  return { path, mock: createMockGateway({ tasks: { durationMs: 0 }, ...options }) };
}

/** Runs the batch in a new process: with its own client and journal. */
async function run({ mock, path }: { mock: MockGateway; path: string }, rows: BatchRow<string>[]) {
  const { apiKey, baseURL, fetch } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch, logLevel: 'off' });
  const batch = gateway.batch(
    inputs,
    (prompt) => gateway.images.submission({ model: 'prism-image', prompt }),
    { journal: fileJournal(path) },
  );
  for await (const row of batch) rows.push(row);
}

test('a batch whose balance runs out continues after a top-up, and pays for each row once', async () => {
  const world = start();
  const { mock } = world;
  const rows: BatchRow<string>[] = [];
  const poor = inputs.map((_, index) => index + 1).slice(5);
  const emptyBalance = mock.fail({ route: submits, status: 402, attempt: poor });
  const error = await rejection(PaymentRequiredError, run(world, rows));
  expect(error).toMatchObject({ rowsDone: 5, rowsOpen: 195 });
  const posts = mock.requests.filter(({ method }) => method === 'POST');
  expect(posts.length).toBeLessThanOrEqual(5 + 8);

  emptyBalance.remove();
  rows.length = 0;
  await run(world, rows);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(200);
  expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
  expect(mock.invoice).toHaveLength(200);
  expect(new Set(mock.invoice.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(200);
});

test.each(['succeeded', 'failed'] as const)(
  'a finished batch of rows that %s appends nothing to its journal when it is run again',
  async (outcome) => {
    const world = start({ tasks: { durationMs: 0, outcome } });
    await run(world, []);
    const [bytes, { mtimeMs }] = [await readFile(world.path), await stat(world.path)];
    const rows: BatchRow<string>[] = [];
    await run(world, rows);
    expect(rows.map(({ status }) => status)).toEqual(Array(200).fill(outcome));
    expect(bytes.equals(await readFile(world.path))).toBe(true);
    expect((await stat(world.path)).mtimeMs).toBe(mtimeMs);
    expect(world.mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(200);
  },
);
