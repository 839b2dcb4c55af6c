import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import type { TestContext } from 'vitest';

import type { ProgramOptions } from '../run-from-source.ts';

/** URL of an example. */
export const example = (name: string): URL => new URL(`../../examples/${name}.ts`, import.meta.url);

/** A service for one program. */
export interface Service {
  mock: MockGateway;
  cwd: string;
  surroundings: ProgramOptions;
}

/**
 * Starts a service for one program, with the environment variables that point to it and an empty working directory. Its
 * clock advances one second per response, so a program observes its tasks while they run, however slow the machine is.
 */
export async function startService({ onTestFinished }: TestContext): Promise<Service> {
  const mock: MockGateway = createMockGateway({
    clock: 'virtual',
    tasks: { durationMs: 1_500 },
    materials: { durationMs: 1_500 },
    onResponse: () => void mock.clock.advance(1_000),
  });
  const server = await listen(mock);
  const cwd = await mkdtemp(join(tmpdir(), 'polygate-examples-'));
  onTestFinished(async () => {
    await server.close();
    await rm(cwd, { recursive: true });
  });
  const env = { POLYGATE_API_KEY: mock.apiKey, POLYGATE_BASE_URL: server.baseURL };
  return { mock, cwd, surroundings: { cwd, env } };
}
