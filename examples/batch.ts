/**
 * Draws 200 pictures within a budget. Kill it and run it again: its journal knows what was paid, and nothing is paid
 * twice. That needs a service that outlives it, such as `npx polygate-mock` in another terminal: the reference gateway
 * that this example starts by itself dies with it.
 */
import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';

import { pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate({ budget: { maxUsd: 5 } });
// Asking for the models also tells the budget their prices.
const model = await pickModel(gateway, 'image');
const prompts = Array.from({ length: 200 }, (_, index) => `A harbour, picture ${index + 1}`);

// The tasks in a journal belong to one service.
const { host = '' } = URL.parse(process.env['POLYGATE_BASE_URL'] ?? '') ?? {};
const journal = fileJournal(`batch-${host.replace(':', '-')}.jsonl`);

const rows = gateway.batch(
  prompts,
  (prompt) => gateway.images.submission({ model, prompt, resolution: '1K' }),
  { journal, id: (_, index) => `picture ${index + 1}` },
);

const left: string[] = [];
let drawn = 0;
for await (const row of rows) {
  if (row.status === 'succeeded') drawn += 1;
  else left.push(`${row.id} ${row.status}: ${row.error.message}`);
  const spent = `$${gateway.spend.totalUsd} spent by this process`;
  process.stdout.write(`\r${drawn} of ${prompts.length} drawn, ${left.length} not, ${spent}`);
}
console.log();
for (const line of left) console.log(line);
await stop();
