/** Appends lines to a locked journal, two of which do not fit on the disk, and prints how each of them has ended. */
import { fileJournal } from 'polygate/journal';

const [path = ''] = process.argv.slice(2);

const journal = fileJournal(path);
const release = await journal.lock?.();
const append = (...lines: string[]) =>
  Promise.allSettled(lines.map((line) => journal.append(line)));
const ended = [
  // Those that are appended while the first one is written are written together.
  await append('a'.repeat(100), 'b'.repeat(1_000), 'c'.repeat(8_000)),
  await append('d'.repeat(100)),
].flat();
await release?.();
console.log(JSON.stringify(ended.map(({ status }) => status)));
