import type { Polygate, PolygateOptions } from '../../../src/index.ts';
import { clientOf, image, turns, virtualClock } from '../support.ts';
import type { Reply } from '../support.ts';

/** A service that holds each request until the test responds to it. */
function manualService() {
  const pending: ((reply: Reply) => void)[] = [];
  let requestCount = 0;
  const fetch: typeof globalThis.fetch = (input, init) => {
    requestCount += 1;
    return new Promise((resolve) => {
      const { url, method, headers, redirect, signal } = new Request(input, init);
      const request = { url, method, headers, body: undefined, redirect, signal };
      pending.push((reply) => resolve(reply(request)));
    });
  };
  const respond = async (reply: Reply, count = 1) => {
    for (const resolve of pending.splice(0, count)) resolve(reply);
    await turns();
  };
  return {
    fetch,
    respond,
    get arrived() {
      return requestCount;
    },
    get inFlight() {
      return pending.length;
    },
  };
}

/** Responds with a task and with the concurrency limit in the headers. */
export const taskWithLimit = (limit: number, remaining?: number): Reply => {
  const headers: Record<string, string> = { 'x-svc-concurrency-limit': String(limit) };
  if (remaining !== undefined) headers['x-svc-concurrency-remaining'] = String(remaining);
  return () => Response.json({ id: 'task_1', status: 'queued' }, { status: 202, headers });
};

/** Starts submits without waiting for their results. */
export async function submitMany(gateway: Polygate, count: number): Promise<void> {
  for (let call = 0; call < count; call += 1) gateway.images.submit(image).catch(() => undefined);
  await turns();
}

/** A client of a manual service, with a virtual clock. */
export function manualClient(options: PolygateOptions = {}) {
  const service = manualService();
  const clock = virtualClock();
  const gateway = clientOf(service.fetch, { clock, timeout: 1e9, ...options });
  return { service, gateway, clock };
}
