import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';

/** What the demo talks to. */
export interface Service {
  apiKey: string;
  baseURL: string;
  /** Whether money is real there. */
  real: boolean;
  /** How often to ask for a task, where it differs from what suits a service. */
  pace?: { pollInterval: number; maxPollInterval: number };
  close(): Promise<void>;
}

/** The service that the environment names, or else a reference gateway on a free port. */
export async function findService(): Promise<Service> {
  const { POLYGATE_API_KEY: apiKey, POLYGATE_BASE_URL: baseURL } = process.env;
  if (apiKey && baseURL) return { apiKey, baseURL, real: true, close: async () => {} };

  const mock = createMockGateway({
    wallet: { usd: 25 },
    tasks: { durationMs: 4_000 },
    chunkDelayMs: 60,
  });
  // It asks for two seconds before the first poll, as a service does whose images take longer than these.
  mock.fail({ route: 'POST /v1/images/tasks', headers: { 'retry-after': '0.2' } });
  const server = await listen(mock);
  return {
    apiKey: mock.apiKey,
    baseURL: server.baseURL,
    real: false,
    pace: { pollInterval: 150, maxPollInterval: 150 },
    close: () => server.close(),
  };
}
