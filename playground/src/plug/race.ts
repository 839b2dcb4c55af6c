import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { PolygateError } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';

import { plugRequests } from './requests.ts';
import type { PlugKind } from './requests.ts';
import { idle } from './side-state.ts';
import type { PlugAttempt, SideState } from './side-state.ts';
import { send as sendWithUsualRetry } from './usual-retry.ts';
import { send as sendWithPolygate } from './with-polygate.ts';

/** How long a request travels to the gateway, and how long the gateway works before it responds, in milliseconds. */
const travelMs = 700;
const workMs = 900;

/** The page shows what the client does, so the console need not. */
const logger = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** Both sides of the comparison, and whether they run. */
export interface Race {
  readonly usual: Signal<SideState>;
  readonly polygate: Signal<SideState>;
  readonly isRunning: Signal<boolean>;
  /** Sends one request on each side, and loses its first response. */
  run(): Promise<void>;
}

/** Creates a race with a request of this kind. Each run has a gateway for each side, which differ in nothing. */
export function createRace(kind: PlugKind): Race {
  const usual = signal(idle);
  const polygate = signal(idle);
  const isRunning = signal(false);
  const run = async () => {
    if (isRunning.value) return;
    isRunning.value = true;
    const { path, request } = plugRequests[kind];
    const left = createSide(usual);
    const right = createSide(polygate);
    const init = {
      method: 'POST',
      headers: {
        authorization: `Bearer ${left.mock.apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(request.params),
    };
    const { apiKey, baseURL } = right.mock;
    const options = { apiKey, baseURL, fetch: right.fetch, logger, dangerouslyAllowBrowser: true };
    await Promise.all([
      finish(usual, sendWithUsualRetry(left.fetch, `${left.mock.baseURL}${path}`, init)),
      finish(polygate, sendWithPolygate(options, request)),
    ]);
    isRunning.value = false;
  };
  return { usual, polygate, isRunning, run };
}

/** Creates a gateway that loses one response, and a `fetch` that shows what is sent to it. */
function createSide(side: Signal<SideState>): { mock: MockGateway; fetch: typeof fetch } {
  side.value = idle;
  const mock = createMockGateway({
    latencyMs: workMs,
    onChange: () => {
      const charges = mock.invoice.filter(({ kind }) => kind === 'charge');
      side.value = { ...side.value, charges };
    },
  });
  mock.fail({ reset: 'after', times: 1 });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const number = side.value.attempts.length;
    const change = (changes: Partial<PlugAttempt>) => {
      const attempts = side.value.attempts.map((attempt, index) =>
        index === number ? { ...attempt, ...changes } : attempt,
      );
      side.value = { ...side.value, attempts };
    };
    const key = new Headers(init?.headers).get('x-idempotency-key') ?? undefined;
    side.value = { ...side.value, attempts: [...side.value.attempts, { state: 'sent', key }] };
    await new Promise((resolve) => window.setTimeout(resolve, travelMs));
    try {
      const response = await mock.fetch(input, init);
      const isReplay = response.headers.get('x-svc-idempotent-replay') === 'true';
      change({ state: 'response', status: response.status, isReplay });
      return response;
    } catch (error) {
      change({ state: 'lost' });
      throw error;
    }
  };
  return { mock, fetch };
}

/** Waits for the end of a call. An error is a result, too: polygate throws one where it must not send again. */
async function finish(side: Signal<SideState>, call: Promise<unknown>): Promise<void> {
  try {
    await call;
    side.value = { ...side.value, end: { isError: false, text: 'The program has its result.' } };
  } catch (error) {
    const { name } = error instanceof Error ? error : new Error(String(error));
    const outcome = PolygateError.is(error) ? ` with outcome: '${error.outcome}'` : '';
    const text = `The program gets ${name}${outcome}, so it knows that it may have paid.`;
    side.value = { ...side.value, end: { isError: true, text } };
  }
}
