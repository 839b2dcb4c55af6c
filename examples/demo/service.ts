import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';

/** The service that the demo uses. */
export interface Service {
  apiKey: string;
  baseURL: string;
  /** Whether the service charges real money. */
  isReal: boolean;
  /** Faster polling for the reference gateway. */
  pollTiming?: { pollInterval: number; maxPollInterval: number };
  close(): Promise<void>;
}

/** Returns the service from the environment, or starts a reference gateway on a free port. */
export async function findService(): Promise<Service> {
  const { POLYGATE_API_KEY: apiKey, POLYGATE_BASE_URL: baseURL } = process.env;
  if (apiKey && baseURL) return { apiKey, baseURL, isReal: true, close: async () => {} };

  const mock = createMockGateway({
    wallet: { usd: 25 },
    tasks: { durationMs: 4_000 },
    chunkDelayMs: 60,
  });
  // The gateway's usual `retry-after` of two seconds is too long for the short tasks of this demo.
  mock.fail({ route: 'POST /v1/images/tasks', headers: { 'retry-after': '0.2' } });
  const server = await listen(mock);
  return {
    apiKey: mock.apiKey,
    baseURL: server.baseURL,
    isReal: false,
    pollTiming: { pollInterval: 150, maxPollInterval: 150 },
    close: () => server.close(),
  };
}
