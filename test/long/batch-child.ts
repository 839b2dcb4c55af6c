/**
 * A process that runs a batch over a journal and writes the ids of the results that it took to a file. If a step is
 * given, it kills itself at that step of writing the journal.
 */
import { appendFileSync } from 'node:fs';

import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';

const [path = '', takenPath = '', storeParams, step] = process.argv.slice(2);

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
for await (const row of rows) appendFileSync(takenPath, `${row.id}\n`);
