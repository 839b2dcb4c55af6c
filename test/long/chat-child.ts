/** A process that runs a batch of chats over a journal, and appends the id and status of each row to a file. */
import { appendFileSync } from 'node:fs';

import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';

const [path = '', takenPath = '', count, maxUsd] = process.argv.slice(2);

const gateway = new Polygate();
const rows = gateway.batch(
  Array.from({ length: Number(count) }, (_, row) => `row ${row}`),
  (prompt) =>
    gateway.chat.completions.submission({
      model: 'aurora-chat',
      messages: [{ role: 'user', content: prompt }],
    }),
  {
    id: (prompt) => prompt,
    journal: fileJournal(path),
    maxUsd: maxUsd ? Number(maxUsd) : undefined,
  },
);
for await (const { id, status } of rows) appendFileSync(takenPath, `${id} ${status}\n`);
