/** Runs the programs listed in the environment variable `PROGRAMS` in sequence and prints their results as JSON. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { chdir } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';

import type { Job, Result } from './run-programs.ts';

// Time runs faster here, so that guides can show the default timeouts. Redis has a clock of its own.
const speed = process.env.REDIS_URL ? 1 : 50;
const { setTimeout: wait } = globalThis;
const { now } = Date;
const start = now();
Date.now = () => start + (now() - start) * speed;
globalThis.setTimeout = Object.assign(
  (callback: () => void, ms = 0, ...rest: []) => wait(callback, ms / speed, ...rest),
  wait,
);

const jobs: Job[] = JSON.parse(process.env.PROGRAMS ?? '[]');
const writeOutput = process.stdout.write.bind(process.stdout);
let current: Result;

for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (chunk: string | Uint8Array) => {
    current[name] += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
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
  const finished = new AbortController();
  const timeout = sleep(40_000, undefined, { signal: finished.signal }).then(() => {
    throw new Error('The program did not finish within 40 seconds');
  });
  try {
    // The query makes each import unique, so that a program can run more than once.
    await Promise.race([import(`${pathToFileURL(file).href}?${index}`), timeout]);
  } catch (error) {
    current.thrown = String(error);
  }
  timeout.catch(() => {});
  finished.abort();
  current.requests = mock.requests.map(({ method, path }) => `${method} ${path}`);
  await close();
  chdir(tmpdir());
  await rm(folder, { recursive: true });
}

writeOutput(JSON.stringify(results));
if (results.some(({ thrown }) => thrown !== undefined)) process.exit(0);
// Fails if a program left a handle open, because that would keep a user's process alive.
void sleep(10_000, undefined, { ref: false }).then(() => process.exit(1));
