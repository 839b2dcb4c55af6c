import type { Call, End, FromWorker, Reply, Start, ToWorker } from './messages.ts';

/** What the page does for the program in a worker. */
export interface WorkerHost {
  carryOut(call: Call): Promise<Reply>;
  /** The reply is on its way to the program. */
  onReply(call: Call): void;
  /** The program has the result for a prompt. */
  onSaved(prompt: string): void;
  onEnd(end: End): void;
}

/**
 * Starts a program in a new worker. The returned function terminates it, after which nothing that it has sent has any effect:
 * it ends as a process does that is killed.
 */
export function startWorker(start: Start, host: WorkerHost): () => void {
  const worker = new Worker(new URL('../batch-worker.ts', import.meta.url), { type: 'module' });
  const { port1: port, port2 } = new MessageChannel();
  let isTerminated = false;
  const terminate = () => {
    isTerminated = true;
    worker.terminate();
    port.close();
  };
  const end = (how: End) => {
    terminate();
    host.onEnd(how);
  };
  const reply = async (id: number, call: Call) => {
    const message: ToWorker = { id, reply: await host.carryOut(call) };
    if (isTerminated) return;
    host.onReply(call);
    port.postMessage(message);
  };
  port.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    if (isTerminated) return;
    if (data.type === 'saved') host.onSaved(data.prompt);
    else if (data.type === 'end') end(data.end);
    else void reply(data.id, data.call);
  });
  port.start();
  worker.addEventListener('error', ({ message }) =>
    end({ kind: 'failed', message: message || 'The worker could not be loaded.' }),
  );
  worker.postMessage(start, [port2]);
  return terminate;
}
