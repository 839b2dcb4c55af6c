import type { Fault, InvoiceLine } from 'polygate/mock';

import { runFromSource } from '../run-from-source.ts';

/** A program to run, and what shall go wrong meanwhile. */
export interface Job {
  file: string;
  fault?: Fault;
}

/** What a program printed, what it threw, and what the gateway saw of it. */
export interface Result {
  stdout: string;
  stderr: string;
  thrown: string | undefined;
  requests: string[];
  invoice: readonly InvoiceLine[];
}

/**
 * Runs programs as users do, on the sources, each against a reference gateway of its own whose tasks
 * are done at once, and in a folder of its own. They share one process, because starting one is most
 * of the time; it has to end by itself.
 */
export async function runPrograms(jobs: readonly Job[]): Promise<Result[]> {
  const env = { POLYGATE_LOG: 'off', PROGRAMS: JSON.stringify(jobs) };
  const { code, stdout, stderr } = await runFromSource(
    new URL('program-host.ts', import.meta.url),
    {
      env,
    },
  );
  if (code !== 0) throw new Error(`A program left something open, or ended them all\n${stderr}`);
  return JSON.parse(stdout);
}
