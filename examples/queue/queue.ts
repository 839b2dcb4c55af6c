/** The queue that the programs in this folder share. They can run on any number of machines. */
import { Polygate } from 'polygate';
import { GenerationQueue } from 'polygate/bullmq';

/** Connects to the service at POLYGATE_BASE_URL and to the Redis server at REDIS_URL. */
export function openQueue() {
  const gateway = new Polygate();
  const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379';
  const queue = new GenerationQueue('harbors', { gateway, connection: { url }, maxUsd: 5 });
  return { gateway, queue };
}
