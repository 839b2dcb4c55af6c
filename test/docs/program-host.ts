/** Runs the programs that `PROGRAMS` lists, one after the other, and prints what became of each. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { chdir } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';

import type { Job, Result } from './run-programs.ts';

// Time runs fast here, so that guides may show the defaults.
const speed = 50;
const { setTimeout: wait } = globalThis;
const { now } = Date;
const start = now();
Date.now = () => start + (now() - start) * speed;
globalThis.setTimeout = Object.assign(
  (work: () => void, ms = 0, ...rest: []) => wait(work, ms / speed, ...rest),
  wait,
);

const jobs: Job[] = JSON.parse(process.env.PROGRAMS ?? '[]');
const print = process.stdout.write.bind(process.stdout);
let current: Result;

for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (part: string | Uint8Array) => {
    current[name] += typeof part === 'string' ? part : new TextDecoder().decode(part);
    return true;
  };
}
process.on('uncaughtException', (error) => (current.thrown = String(error)));

const results: Result[] = [];
for (const [index, { file, fault }] of jobs.entries()) {
  const mock = createMockGateway({ tasks: { durationMs: 0 }, materials: { durationMs: 0 } });
  if (fault !== undefined) mock.fail(fault);
  const { baseURL, close } = await listen(mock);
  const folder = await mkdtemp(`${tmpdir()}/polygate-docs-`);
  chdir(folder);
  process.env.POLYGATE_BASE_URL = baseURL;
  process.env.POLYGATE_API_KEY = mock.apiKey;
  current = { stdout: '', stderr: '', thrown: undefined, requests: [], invoice: mock.invoice };
  results.push(current);
  const end = new AbortController();
  const late = sleep(20_000, undefined, { signal: end.signal }).then(() => {
    throw new Error('It goes on after 20 seconds');
  });
  try {
    // The number lets a program run more than once.
    await Promise.race([import(`${pathToFileURL(file).href}?${index}`), late]);
  } catch (error) {
    current.thrown = String(error);
  }
  late.catch(() => {});
  end.abort();
  current.requests = mock.requests.map(({ method, path }) => `${method} ${path}`);
  await close();
  chdir(tmpdir());
  await rm(folder, { recursive: true });
}

print(JSON.stringify(results));
if (results.some(({ thrown }) => thrown !== undefined)) process.exit(0);
// Whoever leaves something open would keep its own process as well.
setTimeout(() => process.exit(1), 5_000).unref();
