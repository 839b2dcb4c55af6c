/**
 * Generates 200 images within a budget. You can kill it and run it again: thanks to the journal, no image is paid for
 * twice. To try that, run `npx polygate-mock` in another terminal, and set POLYGATE_BASE_URL and POLYGATE_API_KEY.
 * Otherwise the example starts its own reference gateway, which ends with the process.
 */
import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';

import { pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate({ budget: { maxUsd: 5 } });
const model = await pickModel(gateway, 'image');
const prompts = Array.from({ length: 200 }, (_, index) => `A harbor, image ${index + 1}`);

// The tasks in a journal belong to one service, so use one journal per host.
const { host = '' } = URL.parse(process.env['POLYGATE_BASE_URL'] ?? '') ?? {};
const journal = fileJournal(`batch-${host.replace(':', '-')}.jsonl`);

const rows = gateway.batch(
  prompts,
  (prompt) => gateway.images.submission({ model, prompt, resolution: '1K' }),
  { journal, id: (_, index) => `image ${index + 1}` },
);

// A terminal shows one line that changes; a log gets one line per row.
const { isTTY } = process.stdout;
const eraseLine = isTTY ? '\r\u001B[K' : '';
const counts = { succeeded: 0, failed: 0, unknown: 0 };
let summary = '';
for await (const { id, status, generation, error } of rows) {
  counts[status] += 1;
  const spent = `this process spent $${gateway.spend.totalUsd}`;
  summary = `${counts.succeeded} of ${prompts.length} done, ${counts.failed + counts.unknown} failed, ${spent}`;
  if (error || !isTTY)
    console.log(`${eraseLine}${id}: ${status}, ${error?.message ?? generation?.urls[0]}`);
  if (isTTY) process.stdout.write(`${eraseLine}${summary}`);
}
console.log(isTTY ? '' : summary);
await stop();
