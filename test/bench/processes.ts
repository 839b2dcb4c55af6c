import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import type { Job, Measured } from './child.ts';

async function reply<Reply>(child: ChildProcess): Promise<Reply> {
  const gone = new AbortController();
  const onExit = () => gone.abort(new Error('a child process ended'));
  child.once('exit', onExit);
  const [message] = await once(child, 'message', { signal: gone.signal });
  child.off('exit', onExit);
  return message;
}

async function start(file: string, args: string[], execArgv: string[] = []): Promise<ChildProcess> {
  return fork(new URL(file, import.meta.url), args, { execArgv, cwd: import.meta.dirname });
}

/** What the server has counted since it was asked last. */
export interface Counted {
  /** Most sockets open at once. */
  peak: number;
  polls: number;
}

/** The server of a run. */
export async function startServer() {
  const child = await start('./server.ts', []);
  const port = await reply<number>(child);
  return {
    base: `http://127.0.0.1:${port}`,
    counted: async (): Promise<Counted> => {
      child.send('count');
      return reply<Counted>(child);
    },
    stop: () => child.disconnect(),
  };
}

export type Server = Awaited<ReturnType<typeof startServer>>;

/** One client in a process of its own. */
export async function startClient(name: string, { base }: Server, execArgv?: string[]) {
  const child = await start('./child.ts', [name, base], execArgv);
  await reply(child);
  return {
    ask: async (job: Job): Promise<Measured> => {
      child.send(job);
      const measured = await reply<Measured>(child);
      if (measured.error !== undefined) throw new Error(measured.error);
      return measured;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
