import type { Client } from '../client.ts';
import { poll } from './raw.ts';

const maxInFlight = 64;

/** The baseline with at most 64 polls in flight, first come, first served: what sharing sockets saves on its own. */
export const client: Client = {
  wait: (base, interval) => {
    const queue: (() => void)[] = [];
    let inFlight = 0;
    const acquire = async () => {
      if (inFlight === maxInFlight) await new Promise<void>((resolve) => queue.push(resolve));
      else inFlight += 1;
    };
    const release = () => {
      const next = queue.shift();
      if (next === undefined) inFlight -= 1;
      else next();
    };
    return async (id) => {
      for (;;) {
        await acquire();
        const task = await poll(base, id).finally(release);
        if (task.status === 'succeeded') return task.image_url;
        await new Promise((resolve) => setTimeout(resolve, interval));
      }
    };
  },
};
