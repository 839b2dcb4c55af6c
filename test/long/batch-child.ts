/**
 * A process that runs a batch over a journal and writes down which results it took. It kills itself at the given step of
 * writing the journal, where there is one.
 */
import { appendFileSync } from 'node:fs';

import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';

const [path = '', taken = '', storeParams, step] = process.argv.slice(2);

const journal = fileJournal(path, { storeParams: storeParams === 'true' });
let steps = 0;
const reach = (): void => {
  steps += 1;
  if (steps === Number(step)) process.kill(process.pid, 'SIGKILL');
};

const gateway = new Polygate();
const rows = gateway.batch(
  Array.from({ length: 12 }, (_, row) => `row ${row}`),
  (prompt) => gateway.images.submission({ model: 'prism-image', prompt }),
  {
    id: (prompt) => prompt,
    pollInterval: 10,
    maxPollInterval: 40,
    journal: {
      ...journal,
      append: async (line) => {
        reach();
        await journal.append(line);
        reach();
      },
    },
  },
);
for await (const row of rows) appendFileSync(taken, `${row.id}\n`);
