import { key, messages } from './client.ts';
import { startServer } from './processes.ts';
import { interleave, medians, ratios } from './stats.ts';

// node test/bench/floor.ts: what the platform charges for what any client needs that can be canceled, limits the time of a
// call and the size of a response, and reads a few headers: `fetch` alone, and with one more of these per line. Runs in one
// process, in turns, so that the lines differ in nothing else.

const server = await startServer();
const url = `${server.base}/json/v1/chat/completions`;
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const post = () => ({
  method: 'POST',
  headers,
  body: JSON.stringify({ model: 'bench', messages }),
});

async function withTimer<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 60_000);
  return work(controller.signal).finally(() => clearTimeout(timer));
}

async function readPieces({ body }: Response): Promise<string> {
  const reader = body!.getReader();
  const pieces: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new TextDecoder().decode(Buffer.concat(pieces));
    pieces.push(value);
  }
}

const twelveHeaders = [
  'x-request-id',
  'content-type',
  'x-svc-charge-usd',
  'x-svc-wallet',
  'x-svc-balance-usd',
  'x-svc-balance-cny',
  'x-svc-task-id',
  'x-svc-idempotent-replay',
  'x-svc-concurrency-limit',
  'x-svc-concurrency-remaining',
  'x-svc-concurrency-source',
  'x-svc-readiness-score',
];

const variants: Readonly<Record<string, () => Promise<string>>> = {
  fetch: async () => (await fetch(url, post())).text(),
  '+ signal': async () => {
    const { signal } = new AbortController();
    return (await fetch(url, { ...post(), signal })).text();
  },
  '+ signal, timer': () =>
    withTimer(async (signal) => (await fetch(url, { ...post(), signal })).text()),
  '+ signal, timer, pieces': () =>
    withTimer(async (signal) => readPieces(await fetch(url, { ...post(), signal }))),
  '+ signal, timer, pieces, headers': () =>
    withTimer(async (signal) => {
      const response = await fetch(url, { ...post(), signal });
      for (const name of twelveHeaders) response.headers.get(name);
      return readPieces(response);
    }),
};

async function measure(name: string, parallel: number, count: number): Promise<number> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) JSON.parse(await variants[name]!());
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: parallel }, lane));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

for (const parallel of [64, 1]) {
  const names = Object.keys(variants);
  await interleave(names, 4, (name) => measure(name, parallel, 320));
  const cpu = await interleave(names, 21, (name) => measure(name, parallel, 320));
  const times = medians(cpu);
  const relative = ratios(cpu, 'fetch');
  console.log(`\n${parallel} at a time, µs of CPU time per request, and relative to fetch`);
  for (const name of names) {
    console.log(`${name.padEnd(34)} ${times[name]!.toFixed(0)} (${relative[name]!.toFixed(2)})`);
  }
}
server.stop();
