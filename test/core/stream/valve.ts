import type { Polygate, PolygateOptions } from '../../../src/index.ts';
import { clientOf, image, turns, virtualClock } from '../support.ts';
import type { Reply } from '../support.ts';

/** A service that answers when it is told to, and the requests that it has in hand. */
function valve() {
  const waiting: ((reply: Reply) => void)[] = [];
  let arrived = 0;
  const fetch: typeof globalThis.fetch = (input, init) => {
    arrived += 1;
    return new Promise((resolve) => {
      const { method = 'GET', headers, signal } = init ?? {};
      const sent = {
        url: input instanceof Request ? input.url : input.toString(),
        method,
        headers: new Headers(headers),
        body: undefined,
      };
      const request = { ...sent, redirect: undefined, signal: signal ?? undefined };
      waiting.push((reply) => resolve(reply(request)));
    });
  };
  const answer = async (reply: Reply, count = 1) => {
    for (const resolve of waiting.splice(0, count)) resolve(reply);
    await turns();
  };
  return {
    fetch,
    answer,
    get arrived() {
      return arrived;
    },
    get inFlight() {
      return waiting.length;
    },
  };
}

/** A task, and how many slots there are. */
export const told = (limit: number, remaining?: number): Reply => {
  const headers: Record<string, string> = { 'x-svc-concurrency-limit': String(limit) };
  if (remaining !== undefined) headers['x-svc-concurrency-remaining'] = String(remaining);
  return () => Response.json({ id: 'task_1', status: 'queued' }, { status: 202, headers });
};

/** Submits without waiting; whatever becomes of it. */
export async function submitMany(gateway: Polygate, count: number): Promise<void> {
  for (let call = 0; call < count; call += 1) gateway.images.submit(image).catch(() => undefined);
  await turns();
}

/** A client whose service answers when it is told to. */
export function manual(options: PolygateOptions = {}) {
  const service = valve();
  const clock = virtualClock();
  const gateway = clientOf(service.fetch, { clock, timeout: 1e9, ...options });
  return { service, gateway, clock };
}
