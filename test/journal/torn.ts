import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';
import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { expect } from 'vitest';

import { collect } from '../support/rejection.ts';

const ids = ['a', 'b\u2028c', 'd'];
const newGateway = () => createMockGateway({ tasks: { durationMs: 0 } });

const pace = { pollInterval: 0, maxPollInterval: 0 };

function clientOf({ apiKey, baseURL, fetch }: MockGateway): Polygate {
  return new Polygate({ apiKey, baseURL, fetch, logLevel: 'off' });
}

/** What a process does with a journal: the same batch each time. */
export function runBatch(mock: MockGateway, path: string, storeParams = false) {
  const gateway = clientOf(mock);
  const model = 'prism-image';
  const describeRow = (prompt: string) => gateway.images.submission({ model, prompt });
  const journal = fileJournal(path, { storeParams });
  return collect(gateway.batch(ids, describeRow, { ...pace, journal, id: (row) => row }));
}

/**
 * Breaks the journal of a finished batch off at each of these bytes, and runs the batch again over what is left: nobody
 * may be charged twice, and no byte may change. Gives the length of the whole journal.
 */
export async function checkTorn(
  storeParams: boolean,
  ends: (journal: Buffer) => Iterable<number>,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'polygate-torn-'));
  const whole = join(folder, 'whole.jsonl');
  const mock = newGateway();
  await runBatch(mock, whole, storeParams);
  const bytes = await readFile(whole);
  for (const end of ends(bytes)) {
    const torn = bytes.subarray(0, end);
    const path = join(folder, `${end}.jsonl`);
    await writeFile(path, torn);
    // Before the run was written down, nothing had been sent: that was another world.
    const service = end < bytes.indexOf('\n') ? newGateway() : mock;
    if (storeParams) {
      const rows = clientOf(service).recover(fileJournal(path), pace);
      for await (const row of rows) {
        expect([end, row.id, row.status]).toEqual([end, row.id, row.id ? 'succeeded' : 'unknown']);
      }
    }
    const rows = await runBatch(service, path, storeParams);
    const found = rows.map(({ status }) => status);
    expect([end, ...found]).toEqual([end, ...ids.map(() => 'succeeded')]);
    expect([end, service.invoice.length]).toEqual([end, ids.length]);
    const after = await readFile(path);
    expect(after.subarray(0, end).equals(torn)).toBe(true);
  }
  await rm(folder, { recursive: true });
  return bytes.length;
}
