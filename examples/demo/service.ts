import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';

/** The service that the demo uses. */
export interface Service {
  apiKey: string;
  baseURL: string;
  /** The reference gateway; undefined for a service that charges real money. */
  mock?: MockGateway;
  /** Faster polling for the reference gateway. */
  pollTiming?: { pollInterval: number; maxPollInterval: number };
  close(): Promise<void>;
}

/** Returns the service from the environment, or starts a reference gateway on a free port. */
export async function findService(): Promise<Service> {
  const { POLYGATE_API_KEY: apiKey, POLYGATE_BASE_URL: baseURL } = process.env;
  if (apiKey && baseURL) return { apiKey, baseURL, close: async () => {} };

  const mock = createMockGateway({
    wallet: { usd: 25 },
    tasks: { durationMs: 2_500 },
    chunkDelayMs: 60,
  });
  // The gateway's usual `retry-after` of two seconds is too long for the short tasks of this demo.
  const image = { route: 'POST /v1/images/tasks', headers: { 'retry-after': '0.2' } };
  // The second image of the demo is the one whose response is lost.
  mock.fail({ ...image, reset: 'after', attempt: 2 });
  mock.fail(image);
  const server = await listen(mock);
  return {
    apiKey: mock.apiKey,
    baseURL: server.baseURL,
    mock,
    pollTiming: { pollInterval: 150, maxPollInterval: 150 },
    close: () => server.close(),
  };
}
