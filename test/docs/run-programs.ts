import type { Fault, InvoiceLine } from 'polygate/mock';

import { runFromSource } from '../run-from-source.ts';

/** Programs that run one after the other, in a fresh folder and against a fresh gateway. */
export interface Session {
  files: readonly string[];
  /** Options of the command `polygate-mock`, which then runs in a process of its own. */
  gatewayOptions?: string;
  /** A fault to inject from the start. */
  fault?: Fault;
}

/** The output of a program, the error it threw, and the requests and charges that the gateway recorded meanwhile. */
export interface Result {
  stdout: string;
  stderr: string;
  thrown: string | undefined;
  requests: string[];
  invoice: readonly InvoiceLine[];
}

/**
 * Runs programs against the source code. They share one process, because starting a process takes most of the time.
 * The process must exit by itself. Returns one result per program, session by session.
 */
export async function runPrograms(sessions: readonly Session[]): Promise<Result[][]> {
  const host = new URL('program-host.ts', import.meta.url);
  // Without `CI`, as on a reader's machine: recordings are made on the first run there, and refused in CI.
  const env = { POLYGATE_LOG: 'off', CI: '', SESSIONS: JSON.stringify(sessions) };
  const { code, stdout, stderr } = await runFromSource(host, { env });
  if (code !== 0) throw new Error(`A program left a handle open or exited the process\n${stderr}`);
  return JSON.parse(stdout);
}
