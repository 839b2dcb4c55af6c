import { eventually, expectEqual, longWindow, newUser } from './store-test.ts';
import type { MakeStore, StoreTest } from './store-test.ts';

/** Tests of the limits of a window, of requests in flight, and of attempts. */
export const limitTests = (makeStore: MakeStore): StoreTest[] => [
  {
    name: 'Of parallel requests, as many are admitted as the limit covers, and the others are not recorded',
    async run() {
      const user = await newUser(makeStore);
      const all = await Promise.all(
        Array.from({ length: 20 }, () => user.reserve({ usd: 0.1, limits: { usd: 0.5 } })),
      );
      expectEqual('admitted', all.filter(({ result }) => result.refused === undefined).length, 5);
      await user.expectUsage({ usd: 0, reservedUsd: 0.5, requests: 5, inFlight: 5 });
    },
  },
  {
    name: 'A limit that amounts use up exactly is not exceeded, although sums of fractions drift',
    async run() {
      const user = await newUser(makeStore);
      const limits = { usd: 0.3 };
      for (const _ of [1, 2, 3]) {
        const request = await user.expect(undefined, { usd: 0.1, limits });
        await request.settle('charged');
      }
      await user.expectUsage({ usd: 0.3, reservedUsd: 0 });
      await user.expect('usd', { usd: 0.000_000_001, limits });
      await user.expect(undefined, { usd: 0, limits });
    },
  },
  {
    name: 'A limit can be as high as numbers are',
    async run() {
      const user = await newUser(makeStore);
      const limits = { usd: Number.MAX_VALUE };
      await (await user.expect(undefined, { usd: 0.1, limits })).settle('charged');
      await user.expectUsage({ usd: 0.1, reservedUsd: 0 });
      await user.expect(undefined, { usd: 1e6, limits });
    },
  },
  {
    name: 'A refusal reports the amount spent and the end of the window',
    async run() {
      const user = await newUser(makeStore);
      await (await user.reserve({ usd: 0.4 })).settle('charged');
      const { result } = await user.expect('usd', { usd: 0.7, limits: { usd: 1 } });
      expectEqual('spentUsd', result.spentUsd, 0.4);
      expectEqual('windowEndsAt', result.windowEndsAt % longWindow, 0);
      expectEqual('is in the future', result.windowEndsAt > Date.now(), true);
    },
  },
  {
    name: 'Requests and requests in flight are limited, and refused ones are not counted',
    async run() {
      const user = await newUser(makeStore);
      const first = await user.expect(undefined, { limits: { requests: 2, concurrent: 1 } });
      await user.expect('concurrent', { limits: { requests: 2, concurrent: 1 } });
      await first.settle('charged');
      await user.expect(undefined, { limits: { requests: 2, concurrent: 1 } });
      await user.expect('requests', { limits: { requests: 2, concurrent: 2 } });
      await user.expectUsage({ requests: 2, inFlight: 1 });
    },
  },
  {
    name: 'A stream remains in flight until it has ended, and is charged once',
    async run() {
      const user = await newUser(makeStore);
      const stream = await user.reserve({ usd: 0.1, isChargedOnce: false });
      await stream.settle('charged', { usd: 0.2, isStreaming: true });
      await stream.settle('charged', { usd: 0.2, isStreaming: true });
      await user.expectUsage({ usd: 0.2, reservedUsd: 0, inFlight: 1 });
      await stream.settle('ended');
      await stream.settle('ended');
      await user.expectUsage({ usd: 0.2, reservedUsd: 0, inFlight: 0 });
    },
  },
  {
    name: 'A request whose lease ends is no longer in flight, may have been charged, and can still be settled',
    async run() {
      const user = await newUser(makeStore);
      const lost = await user.reserve({ usd: 0.1, leaseMs: 1 });
      const renewed = await user.reserve({ usd: 0.2, leaseMs: 5_000 });
      await user.store.renew(user.name, [renewed.id], 60_000);
      await eventually(() => user.expectUsage({ reservedUsd: 0.3, inFlight: 1 }));
      await lost.settle('rejected');
      await user.expectUsage({ usd: 0, reservedUsd: 0.2, inFlight: 1 });
    },
  },
  {
    name: 'An attempt is admitted once per user, unless it was refused for another reason',
    async run() {
      const user = await newUser(makeStore);
      await user.expect('requests', { attempt: 'a', limits: { requests: 0 } });
      await user.expect(undefined, { attempt: 'a' });
      await user.expect('attempt', { attempt: 'a' });
      await user.expect(undefined, { attempt: 'b' });
      const other = await newUser(makeStore);
      await other.expect(undefined, { attempt: 'a' });
      await user.expectUsage({ requests: 2 });
    },
  },
  {
    name: 'An attempt may be used again if its request was not sent, with and without limits',
    async run() {
      const { store, name } = await newUser(makeStore);
      for (const [index, limits] of [undefined, { windowMs: longWindow }].entries()) {
        const attempt = `a${index}`;
        const part = { user: name, attempt, usd: 0, isChargedOnce: false, body: '' };
        const request = (id: string) =>
          store.reserve({ ...part, request: id, limits, leaseMs: 60_000 });
        const notSent = {
          ...part,
          windowMs: longWindow,
          as: 'not-sent',
          isEstimate: false,
          replay: false,
          isStreaming: false,
        } as const;
        const ids = Array.from({ length: 4 }, () => crypto.randomUUID());
        const [first = '', second = '', third = '', fourth = ''] = ids;
        await request(first);
        // Only the request that has the attempt frees it.
        await store.settle({ ...notSent, request: second });
        expectEqual('second', (await request(second)).refused ?? 'none', 'attempt');
        await store.settle({ ...notSent, request: first });
        expectEqual('third', (await request(third)).refused ?? 'none', 'none');
        await store.settle({ ...notSent, request: third, as: 'rejected' });
        expectEqual('fourth', (await request(fourth)).refused ?? 'none', 'attempt');
      }
    },
  },
  {
    name: 'A reservation that is sent twice is one attempt',
    async run() {
      const { store, name } = await newUser(makeStore);
      for (const limits of [undefined, { windowMs: 60_000 }]) {
        const request = {
          user: name,
          request: crypto.randomUUID(),
          attempt: crypto.randomUUID(),
          limits,
          usd: 0,
          isChargedOnce: false,
          body: '',
          leaseMs: 60_000,
        };
        await store.reserve(request);
        expectEqual('second', (await store.reserve(request)).refused ?? 'none', 'none');
      }
    },
  },
  {
    name: 'An attempt is checked even without limits, and nothing else is recorded',
    async run() {
      const user = await newUser(makeStore);
      const { store, name } = user;
      const request = {
        user: name,
        attempt: 'a',
        usd: 1,
        isChargedOnce: false,
        body: '',
        leaseMs: 1_000,
      };
      const first = await store.reserve({ ...request, request: crypto.randomUUID() });
      const second = await store.reserve({ ...request, request: crypto.randomUUID() });
      expectEqual('first', first.refused ?? 'none', 'none');
      expectEqual('second', second.refused ?? 'none', 'attempt');
      await user.expectUsage({ reservedUsd: 0, requests: 0, inFlight: 0 });
    },
  },
  {
    name: 'A new window begins empty, except for requests in flight',
    async run() {
      const windowMs = 1_000;
      const user = await newUser(makeStore, windowMs);
      const flying = await user.reserve({ usd: 0.1 });
      await (await user.reserve({ usd: 0.2 })).settle('charged');
      await (await user.reserve({ usd: 0.4 })).settle('unknown');
      await eventually(() =>
        user.expectUsage({ usd: 0, reservedUsd: 0.1, requests: 0, inFlight: 1 }),
      );
      await flying.settle('charged');
      // Unless another window has begun.
      await eventually(() => user.expectUsage({ reservedUsd: 0, inFlight: 0 }));
    },
  },
  {
    name: 'A replay of a key that an earlier window has counted is counted only if this one has lost a request (new in 0.4)',
    async run() {
      const windowMs = 1_000;
      const user = await newUser(makeStore, windowMs);
      const requested = { usd: 0.1, key: 'k' };
      await (await user.reserve(requested)).settle('charged');
      await eventually(() => user.expectUsage({ usd: 0 }));
      await (await user.reserve(requested)).settle('charged', { replay: true });
      await user.expectUsage({ usd: 0, reservedUsd: 0 });
      // In one window: the last one may have begun long ago.
      await eventually(async () => {
        const lost = await user.reserve(requested);
        await lost.settle('unknown');
        await (await user.reserve(requested)).settle('charged', { replay: true });
        await user.expectUsage({ usd: 0.1, reservedUsd: 0 });
      });
    },
  },
];
