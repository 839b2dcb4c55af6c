/** A process that runs a batch of chats with a fallback, and kills itself at a line of its journal. */
import { appendFileSync } from 'node:fs';

import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';
import type { Journal } from 'polygate/journal';

const [path = '', count, killAt, moment] = process.argv.slice(2);

const file = fileJournal(path);
let lines = 0;
const journal: Journal = {
  ...file,
  append: async (line) => {
    lines += 1;
    const isLast = lines === Number(killAt);
    if (isLast && moment === 'torn') appendFileSync(path, line.slice(0, line.length / 2));
    if (isLast && moment !== 'after') process.kill(process.pid, 'SIGKILL');
    await file.append(line);
    if (isLast) process.kill(process.pid, 'SIGKILL');
  },
};
const gateway = new Polygate({ maxRetries: 0, fallbackCooldown: 0, concurrency: 2 });
const rows = gateway.batch(
  Array.from({ length: Number(count) }, (_, row) => `row ${row}`),
  (content) =>
    gateway.chat.completions.submission(
      { model: 'aurora-chat', messages: [{ role: 'user', content }] },
      { fallback: ['aurora-reasoner'] },
    ),
  { id: (content) => content, journal },
);
for await (const { id, status } of rows) console.log(`${id} ${status}`);
