import { createMockGateway } from 'polygate/mock';
import type { MockGateway, MockGatewayOptions } from 'polygate/mock';

import { suggestions } from '../shared/suggestions.ts';

/** How long a task takes, in seconds. */
const seconds = { image: 5, video: 12, audio: 7 };

export type ReferenceOptions = Pick<
  MockGatewayOptions,
  'seed' | 'snapshot' | 'onChange' | 'history' | 'tasks' | 'latencyMs' | 'chunkDelayMs'
>;

/** Creates the reference gateway of the playground, on the system clock. */
export function createReferenceGateway(apiKey: string, options: ReferenceOptions): MockGateway {
  const mock = createMockGateway({
    keys: [{ key: apiKey }],
    wallet: { usd: 25 },
    tasks: { durationMs: ({ kind }) => seconds[kind] * 1000 },
    // A burst of 20 images is long enough to be seen in the slots.
    concurrencyLimit: 4,
    latencyMs: 600,
    chunkDelayMs: 80,
    ...options,
  });
  for (const [message, text] of Object.entries(suggestions)) mock.reply({ match: message, text });
  return mock;
}
