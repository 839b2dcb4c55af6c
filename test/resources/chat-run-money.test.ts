/** What the error of a run says about money: it is about the whole run. */
import { describe, expect, test } from 'vitest';

import {
  AbortedError,
  BadRequestError,
  BudgetExceededError,
  ConnectionError,
  Polygate,
  PolygateError,
  RequestTimeoutError,
  ToolRoundsError,
} from '../../src/index.ts';
import type { PolygateOptions, RunOptions, Tool } from '../../src/index.ts';
import { completeStream, eventStream, virtualClock } from '../client/support.ts';
import { rejection } from '../support/rejection.ts';
import {
  callTools,
  chatParams,
  finalMessage,
  parisArgs,
  tool,
  toolCall,
} from '../support/tools.ts';

const again = callTools(toolCall('1', 'weather', parisArgs));
const charged = { 'x-svc-charge-usd': '0.1' };

/** A completion with this message. */
const completion =
  (message: object, headers: Record<string, string> = charged) =>
  () =>
    Response.json(
      {
        id: 'c',
        choices: [{ index: 0, message: { role: 'assistant', content: null, ...message } }],
      },
      { headers },
    );

const refused = () => {
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
  });
};
const lost = () => {
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error(), { code: 'ECONNRESET' }),
  });
};

type Reply = () => Response | Promise<Response>;

/** A run against these replies, the last of which repeats. */
function runOn(replies: readonly Reply[], clientOptions: PolygateOptions = {}) {
  const clock = virtualClock();
  let count = 0;
  const gateway = new Polygate({
    apiKey: 'sk-test',
    baseURL: 'https://gateway.example',
    clock,
    maxRetries: 0,
    logLevel: 'off',
    ...clientOptions,
    fetch: async () => {
      count += 1;
      return (replies[count - 1] ?? replies.at(-1))?.() ?? new Response();
    },
  });
  const run = (options: RunOptions = {}, tools: Tool[] = [tool('weather')]) =>
    gateway.chat.completions.run({ ...chatParams, tools }, options);
  return { clock, gateway, run, requests: () => count };
}

const nothing = /nothing was charged/i;

describe('the charge of a run is what all attempts of its requests were charged:', () => {
  const failed = () => new Response(null, { status: 502, headers: charged });
  const replayed = { ...charged, 'x-svc-idempotent-replay': 'true' };

  test.each([
    ['a failure', failed, charged, 0.2],
    ['a lost response that is replayed', lost, replayed, 0.1],
    ['a failure that is replayed', failed, replayed, 0.1],
  ])('%s', async (_, first, headers, usd) => {
    const stream = { headers: { ...eventStream.headers, ...headers } };
    for (const [reply, options] of [
      [completion({ content: 'Ahoy' }, headers), {}],
      [() => new Response(completeStream, stream), { onStream: () => undefined }],
    ] as const) {
      const retries = { maxRetries: 1, retryAmbiguous: { chat: true } };
      const { clock, gateway, run } = runOn([first, reply], retries);
      expect(await clock.settle(run(options))).toMatchObject({ chargeUsd: usd });
      expect(gateway.spend.totalUsd).toBe(usd);
    }
  });
});

describe('a run that fails after a paid round', () => {
  const failures: [string, Reply, new (...args: any[]) => PolygateError][] = [
    ['a 400', () => Response.json({ error: { message: 'No' } }, { status: 400 }), BadRequestError],
    ['a refused connection', refused, ConnectionError],
    ['a lost response', lost, ConnectionError],
  ];

  test.each(failures)(
    'with %s has the outcome and the charge of the run',
    async (_, fail, kind) => {
      const { run, requests } = runOn([completion(again), completion(again), fail]);
      const error = await rejection(kind, run());
      expect(error).toMatchObject({ outcome: 'unknown', run: { chargeUsd: 0.2 } });
      expect(error.run?.rounds).toHaveLength(2);
      expect(error.message).toContain('The completed requests of this run were charged 0.2 USD.');
      for (const text of [error.message, error.stack, JSON.stringify(error)]) {
        expect(text).not.toMatch(nothing);
      }
      expect(requests()).toBe(3);
    },
  );

  test('says that the last request may have been charged, too', async () => {
    const { run } = runOn([completion(again), lost]);
    const { message } = await rejection(ConnectionError, run());
    expect(message).toContain(
      'The completed requests of this run were charged 0.1 USD. The request may have been charged; sending it again may charge you again.',
    );
  });

  test('says so if the charge of a round is not known', async () => {
    const first = runOn([completion(again, {}), refused]);
    const { message } = await rejection(ConnectionError, first.run());
    expect(message).toContain('The completed requests of this run may have been charged.');
    const second = runOn([completion(again), completion(again, {}), refused]);
    expect((await rejection(ConnectionError, second.run())).message).toContain(
      'The completed requests of this run were charged at least 0.1 USD.',
    );
  });

  test('because of the budget', async () => {
    const { run } = runOn([completion(again)], { budget: { maxUsd: 0.1 } });
    const error = await rejection(BudgetExceededError, run());
    expect(error).toMatchObject({ outcome: 'unknown', spentUsd: 0.1, run: { chargeUsd: 0.1 } });
    expect(error.message).not.toMatch(nothing);
  });

  test('because a tool aborts', async () => {
    const stop = new AbortController();
    const { run } = runOn([completion(again)]);
    const aborting = tool('weather', () => stop.abort('closed'));
    const error = await rejection(AbortedError, run({ signal: stop.signal }, [aborting]));
    expect(error).toMatchObject({ outcome: 'unknown', cause: 'closed', run: { chargeUsd: 0.1 } });
    expect(error.message).toContain('were charged 0.1 USD');
  });

  test('because of maxRounds', async () => {
    const { run } = runOn([completion(again)]);
    const error = await rejection(ToolRoundsError, run({ maxRounds: 2 }));
    expect(error).toMatchObject({ outcome: 'unknown', run: { chargeUsd: 0.2 } });
    expect(error.message).toContain('were charged 0.2 USD');
  });

  test('in a stream', async () => {
    const called = completeStream
      .split('\n\n')[0]
      ?.replace(
        '"content":"Ah"',
        `"tool_calls":[${JSON.stringify({ index: 0, ...toolCall('1', 'weather', parisArgs) })}]`,
      );
    const first = () =>
      new Response(`${called}\n\ndata: [DONE]\n\n`, {
        headers: { ...eventStream.headers, ...charged },
      });
    const { run } = runOn([first, refused]);
    const error = await rejection(ConnectionError, run({ onStream: () => undefined }));
    expect(error).toMatchObject({ outcome: 'unknown', run: { chargeUsd: 0.1 } });
    expect(error.message).not.toMatch(nothing);
  });
});

test('a run whose first request is not sent was not charged', async () => {
  const { run } = runOn([refused]);
  const error = await rejection(ConnectionError, run());
  expect(error).toMatchObject({ outcome: 'not-sent', run: { rounds: [], chargeUsd: 0 } });
  expect(error.message).toContain('Nothing was charged.');
});

const cycle: { self?: object } = {};
cycle.self = cycle;

describe.each([
  ['a BigInt', 1n],
  ['a cycle', cycle],
])('a result with %s', (_, value) => {
  test('of a tool ends the run with an error that carries it', async () => {
    const { run, requests } = runOn([completion(again), completion(finalMessage)]);
    const error = await rejection(PolygateError, run({}, [tool('weather', () => ({ value }))]));
    expect(error).toMatchObject({ outcome: 'unknown', run: { chargeUsd: 0.1 } });
    expect(error.message).toContain('The result of the tool call 1 cannot be sent');
    expect(error.message).toContain('were charged 0.1 USD');
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(requests()).toBe(1);
  });

  test('of onToolError ends the run with an error that carries it', async () => {
    const { run } = runOn([completion(again), completion(finalMessage)]);
    const broken = tool('weather', () => {
      throw new Error('No such city');
    });
    const error = await rejection(PolygateError, run({ onToolError: () => value }, [broken]));
    expect(error).toMatchObject({ outcome: 'unknown', run: { chargeUsd: 0.1 } });
  });
});

describe('totalTimeout limits the whole run', () => {
  const totalTimeout = 10_000;

  test('over all requests', async () => {
    const { clock, run, requests } = runOn([
      async () => {
        await clock.sleep(4_000);
        return completion(again)();
      },
    ]);
    const startedAt = clock.now();
    const error = await rejection(RequestTimeoutError, clock.settle(run({ totalTimeout })));
    expect(clock.now() - startedAt).toBe(totalTimeout);
    expect(error).toMatchObject({ outcome: 'unknown', run: { chargeUsd: 0.2 } });
    expect(error.message).toContain(`${totalTimeout} ms (totalTimeout)`);
    expect(requests()).toBe(3);
  });

  test('of the client, too', async () => {
    const { clock, run } = runOn(
      [
        async () => {
          await clock.sleep(4_000);
          return completion(again)();
        },
      ],
      { totalTimeout },
    );
    const startedAt = clock.now();
    await rejection(RequestTimeoutError, clock.settle(run()));
    expect(clock.now() - startedAt).toBe(totalTimeout);
  });

  test('and its tools, which see their signal abort', async () => {
    const { clock, run } = runOn([completion(again)]);
    let signal: AbortSignal | undefined;
    const slow = tool('weather', (_, context) => {
      ({ signal } = context);
      return new Promise(() => {});
    });
    const error = await rejection(RequestTimeoutError, clock.settle(run({ totalTimeout }, [slow])));
    expect(error.message).toContain('The tools did not finish within 10000 ms (totalTimeout)');
    expect(error).toMatchObject({ outcome: 'unknown', run: { chargeUsd: 0.1 } });
    expect(signal?.aborted).toBe(true);
  });

  test('and its streams', async () => {
    const body = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) =>
          controller.enqueue(new TextEncoder().encode(`${completeStream.split('\n\n')[0]}\n\n`)),
      });
    const { clock, run } = runOn([() => new Response(body(), eventStream)]);
    const startedAt = clock.now();
    const error = await rejection(
      RequestTimeoutError,
      clock.settle(run({ totalTimeout, onStream: () => undefined })),
    );
    expect(clock.now() - startedAt).toBe(totalTimeout);
    expect(error).toMatchObject({ outcome: 'unknown', run: { rounds: [] } });
    expect(error.message).toContain('The stream did not end within 10000 ms (totalTimeout)');
  });

  test('and does not end a run that finishes in time', async () => {
    const { clock, run } = runOn([completion(again), completion(finalMessage)]);
    const { rounds } = await clock.settle(run({ totalTimeout, onToolError: () => 'failed' }));
    expect(rounds).toHaveLength(2);
  });
});

test('the error of a run within a tool of a run is that of the outer run', async () => {
  const inner = runOn([completion(again), lost]);
  const outer = runOn([completion(again)]);
  const nested = tool('weather', () => inner.run());
  const failed = outer.run(
    {
      onToolError(error) {
        throw error;
      },
    },
    [nested],
  );
  const error = await rejection(ConnectionError, failed);
  expect(error).toMatchObject({ outcome: 'unknown', run: { chargeUsd: 0.1 } });
  expect(error.run?.rounds).toHaveLength(1);
  expect(error.message).toContain('The completed requests of this run were charged 0.1 USD.');
});
