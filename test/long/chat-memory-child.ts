/** Runs a batch of chats twice over one journal, and prints how much memory rows with large completions keep. */
import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';

const [path = '', count = '0'] = process.argv.slice(2);

let requests = 0;
const gateway = new Polygate({
  apiKey: 'sk-memory',
  baseURL: 'https://service.test',
  concurrency: 64,
  // The reference gateway would keep every request.
  fetch: async () => {
    requests += 1;
    const content = String(requests).padEnd(4_096, '.');
    return Response.json({
      id: `completion_${requests}`,
      object: 'chat.completion',
      created: 1,
      model: 'aurora-chat',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    });
  },
});

/** Bytes of the heap that are in use after the garbage was collected. */
async function heapUsed(): Promise<number> {
  await new Promise((resolve) => void setTimeout(resolve, 10));
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Runs a batch, and returns by how much the memory exceeds that before the run at most, in bytes for each row. */
async function growth(journal: string, total: number): Promise<number> {
  const rows = gateway.batch(
    (function* () {
      for (let row = 0; row < total; row += 1) yield row;
    })(),
    (row) =>
      gateway.chat.completions.submission({
        model: 'aurora-chat',
        messages: [{ role: 'user', content: `Label ${row}` }],
      }),
    { journal: fileJournal(journal) },
  );
  const before = await heapUsed();
  let peak = 0;
  let taken = 0;
  for await (const { status, error } of rows) {
    if (status !== 'succeeded') throw error;
    taken += 1;
    if (taken % (total / 10) === 1) peak = Math.max(peak, await heapUsed());
  }
  return (peak - before) / total;
}

// Loads and compiles the code, which is not memory of rows.
await growth(`${path}.first`, 100);
requests = 0;
const results = [await growth(path, Number(count)), await growth(path, Number(count))];
console.log(JSON.stringify({ requests, results }));
