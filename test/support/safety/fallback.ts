import * as fc from 'fast-check';
import { expect } from 'vitest';

import { Polygate, PolygateError } from '../../../src/index.ts';
import type { PolygateOptions, RequestOptions } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import type { Fault, MockGateway } from '../../../src/mock/index.ts';

const imageModels = ['prism-image', 'prism-sketch'] as const;
const chatModels = ['aurora-chat', 'aurora-reasoner', 'lumen/vision-chat'] as const;

/** One process that makes the call: it may use a new client, and may be killed while the call is running. */
interface Process {
  readonly isNew: boolean;
  readonly maxRetries: number;
  readonly fallbackCooldown: number;
  readonly diesAfter: number | undefined;
  /** The delay before the next process, in ms. */
  readonly pause: number;
}

/** The processes of a run, and the faults that occur in it. */
export interface FallbackRun {
  readonly A13: 'replay' | 'conflict';
  readonly latencyMs: number;
  readonly random: number;
  readonly processes: readonly Process[];
  readonly faults: readonly Fault[];
}

const failures = fc.constantFrom<Fault[]>(
  { status: 503 },
  { status: 503, retryAfter: 2 },
  { status: 429, code: 'rate_limit_exceeded' },
  { status: 429 },
  { status: 404, code: 'model_not_found' },
  { status: 400, code: 'model_not_found' },
  { status: 403 },
  { status: 400 },
  { status: 402 },
  { status: 409 },
  { status: 500 },
  { status: 500, handled: true },
  { status: 502, handled: true },
  { status: 503, handled: true, headers: { 'x-svc-charge-usd': '0.02' } },
  { unreachable: true },
  { reset: 'before' },
  { reset: 'after' },
  { stallHeaders: true },
  { malformed: true },
  { truncateBody: 30 },
  { delayMs: 3_000 },
);

const faultOf = (models: readonly string[]): fc.Arbitrary<Fault> =>
  fc
    .record({
      failure: failures,
      model: fc.constantFrom(...models),
      times: fc.integer({ min: 1, max: 4 }),
    })
    .map(({ failure, ...where }) => ({ ...failure, ...where }));

const runsOf = (models: readonly string[]): fc.Arbitrary<FallbackRun> =>
  fc.record({
    A13: fc.constantFrom('replay', 'conflict'),
    latencyMs: fc.constantFrom(0, 500),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    processes: fc.array(
      fc.record({
        isNew: fc.boolean(),
        maxRetries: fc.nat(2),
        fallbackCooldown: fc.constantFrom(0, 10_000),
        diesAfter: fc.option(fc.nat(6_000), { nil: undefined, freq: 2 }),
        pause: fc.constantFrom(0, 20_000),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    faults: fc.array(faultOf(models), { maxLength: 8 }),
  });

export const taskRuns = runsOf(imageModels);
export const chatRuns = runsOf(chatModels);

/** A client of the gateway, as another process creates it. */
function clientOf(mock: MockGateway, options: PolygateOptions): Polygate {
  const { apiKey, baseURL, fetch, clock } = mock;
  const limits = { timeout: 5_000, maxQueueTime: 20_000, logLevel: 'off' } as const;
  return new Polygate({ apiKey, baseURL, fetch, clock, ...limits, ...options });
}

/** Makes the calls of all processes. `check` runs after each. */
async function runProcesses(
  { A13, latencyMs, random, processes, faults }: FallbackRun,
  call: (gateway: Polygate, options: RequestOptions) => Promise<unknown>,
  check: (mock: MockGateway, result: unknown, firstRequest: number) => void,
): Promise<MockGateway> {
  const mock = createMockGateway({ clock: 'virtual', latencyMs, assumptions: { A13 } });
  for (const fault of faults) mock.fail(fault);
  let gateway: Polygate | undefined;
  for (const { isNew, diesAfter, pause, ...limits } of processes) {
    const options = { ...limits, random: () => random };
    gateway = isNew || !gateway ? clientOf(mock, options) : gateway.withOptions(options);
    const firstRequest = mock.requests.length;
    const controller = new AbortController();
    if (diesAfter !== undefined) {
      void mock.clock.sleep(diesAfter).then(() => controller.abort());
    }
    const running = call(gateway, { signal: controller.signal }).catch((error: unknown) => error);
    check(mock, await mock.clock.settle(running), firstRequest);
    await mock.clock.advance(pause);
  }
  return mock;
}

/** Whatever fails, a task is paid for once under its key, and found under it. */
export async function checkTaskFallback(run: FallbackRun): Promise<void> {
  const [model, ...fallback] = imageModels;
  const submit = (gateway: Polygate, options: RequestOptions) =>
    gateway.images.submit(
      { model, prompt: 'A harbor' },
      { ...options, fallback, idempotencyKey: 'order-17' },
    );
  const mock = await runProcesses(run, submit, ({ invoice }, result) => {
    expect(invoice.length).toBeLessThanOrEqual(1);
    if (result instanceof PolygateError) {
      const isUncharged = result.outcome === 'rejected' || result.outcome === 'not-sent';
      // Earlier processes may have paid for it.
      if (isUncharged && run.processes.length === 1) expect(invoice).toEqual([]);
    } else expect(result).toMatchObject({ id: invoice[0]?.taskId, model: invoice[0]?.model });
  });
  mock.clearFaults();
  const task = await mock.clock.settle(submit(clientOf(mock, {}), {}));
  expect(mock.invoice.map(({ taskId, model: paid }) => [taskId, paid])).toEqual([
    [task.id, task.model],
  ]);
}

/** The responses after which the service has certainly not charged. */
const rejections = [400, 402, 403, 404, 429, 503];

/** Whatever fails, a chat is never sent again after a request that may have been charged. */
export async function checkChatFallback(run: FallbackRun): Promise<void> {
  const [model, ...fallback] = chatModels;
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  await runProcesses(
    run,
    (gateway, options) =>
      gateway.chat.completions.create({ model, messages }, { ...options, fallback }),
    ({ requests, invoice }, result, firstRequest) => {
      const sent = requests.slice(firstRequest);
      const charges = invoice.filter(({ requestId }) =>
        sent.some((request) => request.requestId === requestId),
      );
      expect(charges.length).toBeLessThanOrEqual(1);
      for (const { requestId, status = 0 } of sent.slice(0, -1)) {
        expect(rejections).toContain(status);
        expect(charges.map((charge) => charge.requestId)).not.toContain(requestId);
      }
      if (!(result instanceof PolygateError)) expect(charges).toHaveLength(1);
      else if (result.outcome !== 'unknown') expect(charges).toEqual([]);
    },
  );
}
