import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

import { Polygate } from '../../dist/index.js';
import { nodeFetch } from '../../dist/node.js';

// node test/bench/cross-check.ts [key=value …]: a second harness for the rows about requests, which shares no code with the
// first. It reports user, system and wall time per request separately, so it shows on what a ratio depends:
//   count=1000   requests per round; short rounds leave out most of the garbage collection
//   rounds=11    rounds, in turns
//   bytes=1500   length of the text in a response
//   shared=1     the server runs in the process of the client, which then pays for both
const options = new Map(
  process.argv
    .slice(2)
    .filter((text) => text.includes('='))
    .map((text) => [text.split('=')[0]!, Number(text.split('=')[1])] as const),
);
const option = (name: string, fallback: number) => options.get(name) ?? fallback;
const [count, rounds, bytes] = [
  option('count', 1_000),
  option('rounds', 11),
  option('bytes', 1_500),
];
const isShared = option('shared', 0) > 0;

const text = 'word '.repeat(bytes / 5);
const choices = [
  { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' },
];
const body = JSON.stringify({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices,
});
const messages = [{ role: 'user' as const, content: 'Describe a harbor at dawn.' }];
const apiKey = 'sk-check';

async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

function sender(name: string, baseURL: string): () => Promise<string | null> {
  if (name === 'raw') {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    return async () => {
      const response = await fetch(`${baseURL}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: 'm', messages }),
      });
      return JSON.parse(await response.text()).choices[0].message.content;
    };
  }
  const fetchOption = name === 'nodeFetch' ? { fetch: nodeFetch() } : {};
  const gateway = new Polygate({ apiKey, baseURL, ...fetchOption });
  return async () => {
    const completion = await gateway.chat.completions.create({ model: 'm', messages });
    return completion.choices[0]!.message.content;
  };
}

/** Sends requests when the parent says so, and reports what they cost, in µs per request. */
function work(name: string, baseURL: string): void {
  const send = sender(name, baseURL);
  const measure = async (parallel: number) => {
    let left = count;
    const before = process.cpuUsage();
    const start = performance.now();
    const lane = async () => {
      while (left-- > 0) if ((await send()) !== text) throw new Error('wrong text');
    };
    await Promise.all(Array.from({ length: parallel }, lane));
    const wall = (performance.now() - start) * 1_000;
    const { user, system } = process.cpuUsage(before);
    process.send?.([user, system, user + system, wall].map((time) => time / count));
  };
  process.on('message', (parallel: number) => void measure(parallel));
  process.send?.('ready');
}

const names = ['raw', 'polygate', 'nodeFetch'];
const metrics = ['user', 'system', 'CPU', 'wall'];

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}

async function startRole(...args: string[]) {
  const child = fork(import.meta.filename, [...args, ...process.argv.slice(2)]);
  const [message] = await once(child, 'message');
  return { child, message };
}

async function compare(): Promise<void> {
  const server = await startRole('serve');
  for (const parallel of [64, 1]) {
    const clients = new Map<string, Awaited<ReturnType<typeof startRole>>['child']>();
    for (const name of names) clients.set(name, (await startRole(name, server.message)).child);
    const samples = new Map(names.map((name) => [name, [] as number[][]]));
    // The first rounds compile the code.
    for (let round = -Math.ceil(3_000 / count); round < rounds; round += 1) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const client = clients.get(name)!;
        client.send(parallel);
        const [measured] = await once(client, 'message');
        if (round >= 0) samples.get(name)!.push(measured);
      }
    }
    for (const client of clients.values()) client.kill();
    console.log(`\n${parallel} at a time, µs per request, and relative to raw`);
    for (const name of names) {
      const cells = metrics.map((metric, index) => {
        const values = samples.get(name)!.map((round) => round[index]!);
        const raw = samples.get('raw')!;
        const ratio = median(values.map((value, round) => value / raw[round]![index]!));
        return `${metric} ${median(values).toFixed(0)} (${ratio.toFixed(2)})`;
      });
      console.log(`${name.padEnd(10)} ${cells.join('  ')}`);
    }
  }
  server.child.kill();
}

const [role, baseURL = ''] = process.argv.slice(2);
if (role === 'serve') process.send?.(await serve());
else if (role !== undefined && names.includes(role)) work(role, isShared ? await serve() : baseURL);
else await compare();
