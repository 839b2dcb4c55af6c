import type { Fault, InvoiceLine } from 'polygate/mock';

import { runFromSource } from '../run-from-source.ts';

/** A program to run, and a fault to inject while it runs. */
export interface Job {
  file: string;
  fault?: Fault;
}

/** The output of a program, the error it threw, and the requests and charges that the gateway recorded. */
export interface Result {
  stdout: string;
  stderr: string;
  thrown: string | undefined;
  requests: string[];
  invoice: readonly InvoiceLine[];
}

/**
 * Runs programs against the source code, each with its own working directory and its own reference gateway, whose tasks
 * complete immediately. The programs share one process, because starting a process takes most of the time. The process
 * must exit by itself.
 */
export async function runPrograms(jobs: readonly Job[]): Promise<Result[]> {
  const env = { POLYGATE_LOG: 'off', PROGRAMS: JSON.stringify(jobs) };
  const { code, stdout, stderr } = await runFromSource(
    new URL('program-host.ts', import.meta.url),
    {
      env,
    },
  );
  if (code !== 0) throw new Error(`A program left a handle open or exited the process\n${stderr}`);
  return JSON.parse(stdout);
}
