import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGateway, MockGatewayOptions } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import { commandLine, Program, runIn } from '../../tools/cli/program.ts';

const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Removes something after all tests of the file. */
export const afterTests = (cleanup: () => unknown): void => void cleanups.push(cleanup);

/** A gateway, and a folder in which commands that use it run. */
export interface Service {
  mock: MockGateway;
  baseURL: string;
  env: Record<string, string>;
  folder: string;
  /** Runs a command until it exits. */
  run: (args: readonly string[], stdin?: string | Uint8Array) => ReturnType<typeof runIn>;
  /** Starts a command. */
  start: (args: readonly string[], env?: Record<string, string>) => Program;
  /** Entries of the state folder. */
  state: () => { text: string; entry: any }[];
  /** The content of a file in the folder. */
  read: (path: string) => string;
  /** The lines of a JSONL file in the folder. */
  lines: (path: string) => any[];
}

/** Starts a gateway whose tasks end at once. */
export async function startService(options: MockGatewayOptions = {}): Promise<Service> {
  const mock = createMockGateway({
    tasks: { durationMs: 0 },
    imageFormat: 'svg',
    ...options,
  });
  const server = await listen(mock);
  const folder = mkdtempSync(join(tmpdir(), 'polygate-cli-'));
  afterTests(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = {
    POLYGATE_BASE_URL: server.baseURL,
    POLYGATE_API_KEY: mock.apiKey,
    XDG_STATE_HOME: join(folder, '.state'),
    XDG_CONFIG_HOME: join(folder, '.config'),
  };
  const tasks = join(folder, '.state', 'polygate', 'tasks');
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  return {
    mock,
    baseURL: server.baseURL,
    env,
    folder,
    run: (args, stdin) => runIn(folder, args, env, stdin),
    start: (args, more = {}) =>
      new Program(commandLine('polygate', args), { ...env, ...more }, folder),
    state: () =>
      readdirSync(tasks).map((name) => {
        const text = readFileSync(join(tasks, name), 'utf8');
        return { text, entry: JSON.parse(text) };
      }),
    read,
    lines: (path) =>
      read(path)
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

/** The requests with a method and the start of a path. */
export const requestsTo = ({ requests }: MockGateway, method: string, path: string) =>
  requests.filter((request) => request.method === method && request.path.startsWith(path));

export const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';
