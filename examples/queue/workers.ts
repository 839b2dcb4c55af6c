/** Worker processes on this machine. In production, a process manager starts them on every machine. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

interface Worker {
  process: ChildProcess;
  exited: Promise<unknown>;
}

export class Workers {
  readonly #workers: Worker[] = [];

  get count(): number {
    return this.#workers.length;
  }

  start(): void {
    const child = fork(new URL('worker.ts', import.meta.url));
    this.#workers.push({ process: child, exited: once(child, 'exit') });
  }

  killFirst(): void {
    this.#workers[0]?.process.kill('SIGKILL');
  }

  /** Lets the steps that are in progress finish. */
  async stop(): Promise<void> {
    for (const worker of this.#workers) worker.process.kill('SIGTERM');
    await Promise.all(this.#workers.map(({ exited }) => exited));
  }
}
