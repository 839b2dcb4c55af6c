/**
 * For test files that share a process: fails a file that changes the process and leaves the change behind. A file that
 * cannot undo its changes has a name that ends in `.isolated.test.ts`.
 */
import { deepStrictEqual } from 'node:assert/strict';

import { afterAll } from 'vitest';

import { prepareProcess } from './prepared-process.ts';

prepareProcess();

const state = () => ({
  // Libraries keep state that their copies share in globals such as `__zod_globalConfig`.
  globals: Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__')),
  // Providers and context managers of OpenTelemetry, which has no other effect on the process.
  telemetry: Object.keys(
    Object(Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'))),
  ).filter((name) => name !== 'version'),
  functions: [fetch, setTimeout, clearTimeout, queueMicrotask, Date.now, Math.random],
  crypto: [crypto.subtle.digest, crypto.randomUUID, crypto.getRandomValues],
  console: { ...console },
  prototype: Reflect.ownKeys(Object.prototype),
  env: Object.entries(process.env).filter(([name]) => name.startsWith('POLYGATE_')),
  directory: process.cwd(),
  listeners: ['unhandledRejection', 'uncaughtException', 'warning', 'SIGINT'].map((name) =>
    process.listenerCount(name),
  ),
});

const before = state();

afterAll(() => {
  deepStrictEqual(state(), before);
});
