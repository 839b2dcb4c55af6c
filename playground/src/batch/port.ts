import type { Journal } from 'polygate';

import type { Call, FromWorker, Reply, ToWorker } from './messages.ts';

/** How long a new worker waits for the lock of one that was terminated, in milliseconds. */
const lockMs = 10_000;

/** The worker's side of its connection to the page. */
export interface PagePort {
  send(message: FromWorker): void;
  fetch: typeof globalThis.fetch;
  /** The journal in the page, which is still there when the worker is not. */
  openJournal(lockName: string): Journal;
}

/** Connects a worker with the page. */
export function connect(port: MessagePort): PagePort {
  const pending = new Map<number, (reply: Reply) => void>();
  let lastId = 0;
  port.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
    pending.get(data.id)?.(data.reply);
    pending.delete(data.id);
  });
  port.start();
  const send = (message: FromWorker) => port.postMessage(message);
  const call = (content: Call) =>
    new Promise<Reply>((resolve) => {
      lastId += 1;
      pending.set(lastId, resolve);
      send({ type: 'call', id: lastId, call: content });
    });

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { url, method, signal } = request;
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    const headers = [...request.headers];
    const exchange = call({ kind: 'fetch', url, method, headers, body: await request.text() });
    const reply = await Promise.race([exchange, aborted]);
    if (reply.kind !== 'response') throw new TypeError('The page has sent no response.');
    return new Response(reply.body, { status: reply.status, headers: reply.headers });
  };

  const openJournal = (lockName: string): Journal => ({
    async *read() {
      const reply = await call({ kind: 'read' });
      if (reply.kind === 'lines') yield* reply.lines;
    },
    append: async (line) => {
      await call({ kind: 'append', line });
    },
    // The browser releases the lock of a terminated worker, as a system does with that of a process.
    lock: () =>
      new Promise((acquired, failed) => {
        let release = () => {};
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        const hold = () => {
          acquired(async () => release());
          return released;
        };
        navigator.locks
          .request(lockName, { signal: AbortSignal.timeout(lockMs) }, hold)
          .catch(failed);
      }),
  });
  return { send, fetch, openJournal };
}
