import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';

import type { Session } from './run-programs.ts';
import { waitForOutput } from './wait-for-output.ts';

/** A running reference gateway. Its requests and charges are known only if it runs in this process. */
export interface Gateway {
  env: Readonly<Record<string, string>>;
  mock?: MockGateway;
  close: () => Promise<void>;
}

/** Starts the gateway of a session: in this process, or as the command that the guide shows. */
export async function startGateway({ fault, gatewayOptions }: Session): Promise<Gateway> {
  if (gatewayOptions !== undefined) return startCommand(gatewayOptions);
  // Redis has a clock of its own, so there time does not run faster.
  const waits = process.env.REDIS_URL ? { durationMs: 0 } : {};
  const mock = createMockGateway({ tasks: waits, materials: waits, chunkDelayMs: 25 });
  if (fault !== undefined) mock.fail(fault);
  const { baseURL, close } = await listen(mock, { cors: true });
  return { env: variables(baseURL, mock.apiKey), mock, close };
}

/** The variables that `polygate-mock` prints. */
const variables = (baseURL: string, apiKey: string) => ({
  POLYGATE_BASE_URL: baseURL,
  POLYGATE_API_KEY: apiKey,
  OPENAI_BASE_URL: `${baseURL}/v1`,
  OPENAI_API_KEY: apiKey,
});

async function startCommand(options: string): Promise<Gateway> {
  const args = Array.from(
    options.matchAll(/'([^']*)'|(\S+)/g),
    ([, quoted, word]) => quoted ?? word ?? '',
  );
  const command = fileURLToPath(new URL('../../src/tools/cli/polygate-mock.ts', import.meta.url));
  const hook = new URL('../from-source.ts', import.meta.url).href;
  // The last port wins, and 0 is a free one.
  const child = spawn(process.execPath, ['--import', hook, command, ...args, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const close = () => {
    child.kill();
    return exited;
  };
  const output = await waitForOutput(child, /POLYGATE_API_KEY=.+\n/);
  const [, baseURL = ''] = /POLYGATE_BASE_URL=(\S+)/.exec(output) ?? [];
  const [, apiKey = ''] = /POLYGATE_API_KEY=(\S+)/.exec(output) ?? [];
  return { env: variables(baseURL, apiKey), close };
}
