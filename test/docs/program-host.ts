/** Runs the sessions in the environment variable `SESSIONS` in sequence and prints their results as JSON. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { chdir } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Redis } from 'ioredis';

import { startGateway } from './gateway.ts';
import type { Gateway } from './gateway.ts';
import type { Result, Session } from './run-programs.ts';

// Time runs faster here, so that guides can show the default timeouts. Redis has a clock of its own.
const speed = process.env.REDIS_URL ? 1 : 50;
/** When the process cannot run for longer than this, in ms, because the machine is busy, time stands still. */
const maxPause = 10;
const { setTimeout: wait } = globalThis;
const start = Date.now();
const monotonic = performance.now.bind(performance);
let lastTick = monotonic();
let time = 0;
const tick = (): number => {
  const at = monotonic();
  time += Math.min(at - lastTick, maxPause) * speed;
  lastTick = at;
  return time;
};
setInterval(tick, 1).unref();
Date.now = () => start + Math.floor(tick());
performance.now = tick;
globalThis.setTimeout = Object.assign(
  (callback: (...rest: unknown[]) => void, ms = 0, ...rest: unknown[]) => {
    const end = tick() + ms;
    const timer = wait(() => {
      // A timer can be a millisecond early.
      if (tick() < end - speed) timer.refresh();
      else callback(...rest);
    }, ms / speed);
    return timer;
  },
  wait,
);

/** Folders in here find the packages that are installed in this repository. */
const workspace = fileURLToPath(new URL('.tmp/', import.meta.url));
const sessions: Session[] = JSON.parse(process.env.SESSIONS ?? '[]');
const writeOutput = process.stdout.write.bind(process.stdout);
let current: Result;

for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (chunk: string | Uint8Array) => {
    current[name] += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    return true;
  };
}
process.on('uncaughtException', (error) => (current.thrown = String(error)));

async function runSession(session: Session): Promise<Result[]> {
  await emptyRedis();
  const gateway = await startGateway(session);
  Object.assign(process.env, gateway.env);
  const folder = await mkdtemp(join(workspace, 'folder-'));
  chdir(folder);
  const results: Result[] = [];
  for (const file of session.files) {
    const copy = join(folder, basename(file));
    await copyFile(file, copy);
    results.push(await runProgram(copy, gateway));
  }
  await gateway.close();
  chdir(workspace);
  await rm(folder, { recursive: true });
  return results;
}

async function runProgram(file: string, { mock }: Gateway): Promise<Result> {
  mock?.clearRecords();
  current = { stdout: '', stderr: '', thrown: undefined, requests: [], invoice: [] };
  const finished = new AbortController();
  const timeout = sleep(40_000, undefined, { signal: finished.signal }).then(() => {
    throw new Error('The program did not finish within 40 seconds');
  });
  try {
    await Promise.race([import(pathToFileURL(file).href), timeout]);
  } catch (error) {
    current.thrown = String(error);
  }
  timeout.catch(() => {});
  finished.abort();
  current.requests = mock?.requests.map(({ method, path }) => `${method} ${path}`) ?? [];
  current.invoice = [...(mock?.invoice ?? [])];
  return current;
}

async function emptyRedis(): Promise<void> {
  if (process.env.REDIS_URL === undefined) return;
  const redis = new Redis(process.env.REDIS_URL);
  await redis.flushall();
  await redis.quit();
}

const results: Result[][] = [];
for (const session of sessions) results.push(await runSession(session));

// The output is longer than what a pipe takes at once.
await new Promise<void>((resolve) => writeOutput(JSON.stringify(results), () => resolve()));
if (results.flat().some(({ thrown }) => thrown !== undefined)) process.exit(0);
// Fails if a program left a handle open, because that would keep a user's process alive.
void sleep(10_000, undefined, { ref: false }).then(() => process.exit(1));
