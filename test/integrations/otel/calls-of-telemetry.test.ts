import { expect, test } from 'vitest';

import type { Polygate, Telemetry } from '../../../src/index.ts';
import type { Fault, MockGateway } from '../../../src/mock/index.ts';
import { drain, onMock, turns } from '../../client/support.ts';
import { chat, image, material } from './observed.ts';

interface Recorded {
  readonly operation: string;
  readonly calls: string[];
}

/** Records which methods are called for each operation. */
function recorder() {
  const operations: Recorded[] = [];
  const telemetry: Telemetry = {
    startSpan(operation) {
      const calls: string[] = [];
      operations.push({ operation: operation.type, calls });
      return {
        runAttempt(send) {
          calls.push('attempt');
          send();
        },
        event: ({ type }) => void calls.push(type),
        end: () => void calls.push('end'),
      };
    },
  };
  return { telemetry, operations };
}

const streamed = { ...chat, stream: true } as const;
const encode = (body: object) => new TextEncoder().encode(JSON.stringify(body));
const kinds: readonly ((gateway: Polygate, signal: AbortSignal) => Promise<unknown>)[] = [
  (gateway, signal) => gateway.chat.completions.create(chat, { signal }),
  (gateway, signal) => drain(gateway.chat.completions.stream(chat, { signal })),
  async (gateway, signal) => drain(await gateway.chat.completions.create(streamed, { signal })),
  async (gateway, signal) =>
    (await gateway.chat.completions.create(streamed, { signal }).asResponse()).text(),
  (gateway, signal) => gateway.images.generate(image, { signal }),
  (gateway, signal) => gateway.materials.register(material, { signal }),
  async (gateway, signal) =>
    drain((await gateway.images.submit(image, { signal })).updates({ signal })),
  async (gateway, signal) => {
    const init = { method: 'POST', body: encode(streamed), signal };
    return (await gateway.fetch('/v1/chat/completions', init)).text();
  },
  (gateway, signal) => gateway.models.list(undefined, { signal }),
];

const faults: readonly Fault[] = [
  {},
  { status: 503, times: 2 },
  { status: 402 },
  { status: 429, code: 'concurrency_limit_exceeded', times: 1 },
  { reset: 'after', times: 1 },
  { unreachable: true },
  { stallHeaders: true },
  { cutStreamAfter: 1 },
  { streamErrorAfter: 1 },
  { malformed: true },
];

/** The number of requests, including those that the gateway has not received. */
const countRequests = (mock: MockGateway) => {
  let count = 0;
  const fetch: typeof mock.fetch = async (input, init) => {
    count += 1;
    return mock.fetch(input, init);
  };
  return { fetch, count: () => count };
};

test.each(faults)(
  'an operation ends once, and each attempt is one request, with the fault %o and aborts',
  async (fault) => {
    for (const abortAfter of [undefined, 0, 150, 400, 3000]) {
      const { telemetry, operations } = recorder();
      const { mock, gateway: original } = onMock({ latencyMs: 100, chunkDelayMs: 50 });
      const { fetch, count } = countRequests(mock);
      const limits = { timeout: 2000, streamIdleTimeout: 1000 };
      const gateway = original.withOptions({ telemetry, fetch, ...limits });
      if (Object.keys(fault).length > 0) mock.fail(fault);
      for (const call of kinds) {
        const controller = new AbortController();
        if (abortAfter !== undefined) {
          void mock.clock.sleep(abortAfter).then(() => controller.abort());
        }
        await mock.clock.settle(Promise.allSettled([call(gateway, controller.signal)]));
      }
      await turns();
      const attempts = operations.flatMap(({ calls }) =>
        calls.filter((each) => each === 'attempt'),
      );
      expect(attempts).toHaveLength(count());
      for (const { calls } of operations) {
        expect(calls.filter((each) => each === 'end')).toEqual(['end']);
        // Only the charge of a late response may follow.
        expect(calls.slice(calls.indexOf('end') + 1).filter((each) => each !== 'charge')).toEqual(
          [],
        );
      }
    }
  },
);
