import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import type { UserLimits } from 'polygate/proxy';

/** What a process with a proxy needs to know. */
export interface ProxySettings {
  apiKey: string;
  baseURL: string;
  redis: string;
  limits: UserLimits;
}

/** A process with a proxy. */
export interface ProxyProcess {
  readonly child: ChildProcess;
  readonly origin: string;
}

/** Starts a proxy in a process of its own. */
export async function startProcess(settings: ProxySettings): Promise<ProxyProcess> {
  const child = fork(new URL('process.ts', import.meta.url), [JSON.stringify(settings)], {
    execArgv: ['--import', new URL('../../from-source.ts', import.meta.url).href],
  });
  const [{ origin }] = (await once(child, 'message')) as [{ origin: string }];
  return { child, origin };
}

/** Ends a process without a chance to clean up. */
export async function kill({ child }: ProxyProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
