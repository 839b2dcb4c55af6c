import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';
import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { expect } from 'vitest';

import { collect } from '../../support/rejection.ts';

const ids = ['a', 'b\u2028c', 'd'];
const createGateway = () => createMockGateway({ tasks: { durationMs: 0 } });

const pollTiming = { pollInterval: 0, maxPollInterval: 0 };

function createClient({ apiKey, baseURL, fetch }: MockGateway): Polygate {
  return new Polygate({ apiKey, baseURL, fetch, logLevel: 'off' });
}

/** Runs the same batch over the journal at `path` every time it is called. */
export function runBatch(mock: MockGateway, path: string, storeParams = false) {
  const gateway = createClient(mock);
  const model = 'prism-image';
  const describeRow = (prompt: string) => gateway.images.submission({ model, prompt });
  const journal = fileJournal(path, { storeParams });
  return collect(gateway.batch(ids, describeRow, { ...pollTiming, journal, id: (row) => row }));
}

/**
 * Truncates the journal of a finished batch at each of these byte offsets and runs the batch again over the rest. No
 * row may be charged twice, and no existing byte may change. Returns the length of the complete journal.
 */
export async function checkTruncations(
  storeParams: boolean,
  ends: (journal: Buffer) => Iterable<number>,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'polygate-truncated-'));
  const complete = join(folder, 'complete.jsonl');
  const mock = createGateway();
  await runBatch(mock, complete, storeParams);
  const bytes = await readFile(complete);
  for (const end of ends(bytes)) {
    const truncated = bytes.subarray(0, end);
    const path = join(folder, `${end}.jsonl`);
    await writeFile(path, truncated);
    // Without the run's first line, the batch gets new keys. A new gateway matches that: nothing had been sent yet.
    const service = end < bytes.indexOf('\n') ? createGateway() : mock;
    if (storeParams) {
      const rows = createClient(service).recover(fileJournal(path), pollTiming);
      for await (const row of rows) {
        expect([end, row.id, row.status]).toEqual([end, row.id, row.id ? 'succeeded' : 'unknown']);
      }
    }
    const rows = await runBatch(service, path, storeParams);
    const statuses = rows.map(({ status }) => status);
    expect([end, ...statuses]).toEqual([end, ...ids.map(() => 'succeeded')]);
    expect([end, service.invoice.length]).toEqual([end, ids.length]);
    const after = await readFile(path);
    expect(after.subarray(0, end).equals(truncated)).toBe(true);
  }
  await rm(folder, { recursive: true });
  return bytes.length;
}
