import { createMockGateway } from 'polygate/mock';

import type { Call, Reply } from './messages.ts';

/** How long a paid request and its response travel, in milliseconds. */
const [requestMs, responseMs] = [200, 350];

/** How long tasks take, in milliseconds, so that they do not all end at the same time. */
const taskMs = [450, 700, 950];

type FetchCall = Call & { kind: 'fetch' };

/** What the page sees of the gateway of a program. */
export interface BatchGateway {
  readonly apiKey: string;
  readonly baseURL: string;
  /** What has been charged for the image of each prompt, according to the invoice. */
  invoice(): { chargesOf: (prompt: string) => number; chargedUsd: number };
  /** Forwards a request. The gateway also carries it out if its sender is killed meanwhile. */
  send(call: FetchCall): Promise<Reply>;
}

/** Creates a reference gateway for one program. */
export function createGateway(onChange: () => void): BatchGateway {
  const mock = createMockGateway({
    tasks: { durationMs: ({ number }) => taskMs[number % taskMs.length] ?? 0 },
    onChange,
  });
  return {
    apiKey: mock.apiKey,
    baseURL: mock.baseURL,
    invoice: () => {
      const prompts = new Map(
        mock.requests.map(({ requestId, bodyText }) => [requestId, promptOf(bodyText)]),
      );
      const charges = mock.invoice.filter(({ kind }) => kind === 'charge');
      return {
        chargesOf: (prompt) =>
          charges.filter(({ requestId }) => prompts.get(requestId) === prompt).length,
        chargedUsd: charges.reduce((sum, { usd }) => sum + usd, 0),
      };
    },
    send: async ({ url, method, headers, body }) => {
      const isPaid = method === 'POST';
      if (isPaid) await pause(requestMs);
      const response = await mock.fetch(url, isPaid ? { method, headers, body } : { headers });
      const text = await response.text();
      if (isPaid) await pause(responseMs);
      const { status } = response;
      return { kind: 'response', status, headers: [...response.headers], body: text };
    },
  };
}

/** The prompt of a paid request; undefined for other requests. */
export function promptOf(body: string): string | undefined {
  if (body === '') return undefined;
  // Trusted without validation: both programs of this page send this type.
  const { prompt }: { prompt?: string } = JSON.parse(body);
  return prompt;
}

const pause = (ms: number) =>
  new Promise((resolve) => {
    window.setTimeout(resolve, ms);
  });
