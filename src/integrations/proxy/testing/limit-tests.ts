import { eventually, expectEqual, longWindow } from './store-test.ts';
import type { StoreRules } from './store-test.ts';

/** Tests of the limits of a window, of requests in flight, and of attempts. */
export const limitTests: StoreRules = {
  'Of parallel requests, as many are admitted as the limit covers, and the others are not recorded':
    async (user) => {
      const all = await Promise.all(
        Array.from({ length: 20 }, () => user.reserve({ usd: 0.1, limits: { usd: 0.5 } })),
      );
      expectEqual('admitted', all.filter(({ result }) => result.refused === undefined).length, 5);
      await user.expectUsage({ usd: 0, reservedUsd: 0.5, requests: 5, inFlight: 5 });
    },
  'A limit that amounts use up exactly is not exceeded, although sums of fractions drift': async (
    user,
  ) => {
    const limits = { usd: 0.3 };
    for (const _ of [1, 2, 3]) {
      const request = await user.expect(undefined, { usd: 0.1, limits });
      await request.settle('charged');
    }
    await user.expectUsage({ usd: 0.3, reservedUsd: 0 });
    await user.expect('usd', { usd: 0.000_000_001, limits });
    await user.expect(undefined, { usd: 0, limits });
  },
  'A limit can be as high as numbers are': async (user) => {
    const limits = { usd: Number.MAX_VALUE };
    await (await user.expect(undefined, { usd: 0.1, limits })).settle('charged');
    await user.expectUsage({ usd: 0.1, reservedUsd: 0 });
    await user.expect(undefined, { usd: 1e6, limits });
  },
  'A refusal reports the amount spent and the end of the window': async (user) => {
    await (await user.reserve({ usd: 0.4 })).settle('charged');
    const { result } = await user.expect('usd', { usd: 0.7, limits: { usd: 1 } });
    expectEqual('spentUsd', result.spentUsd, 0.4);
    expectEqual('windowEndsAt', result.windowEndsAt % longWindow, 0);
    expectEqual('is in the future', result.windowEndsAt > Date.now(), true);
  },
  'Requests and requests in flight are limited, and refused ones are not counted': async (user) => {
    const first = await user.expect(undefined, { limits: { requests: 2, concurrent: 1 } });
    await user.expect('concurrent', { limits: { requests: 2, concurrent: 1 } });
    await first.settle('charged');
    await user.expect(undefined, { limits: { requests: 2, concurrent: 1 } });
    await user.expect('requests', { limits: { requests: 2, concurrent: 2 } });
    await user.expectUsage({ requests: 2, inFlight: 1 });
  },
  'A stream remains in flight until it has ended, and is charged once': async (user) => {
    const stream = await user.reserve({ usd: 0.1, isChargedOnce: false });
    await stream.settle('charged', { usd: 0.2, isStreaming: true });
    await stream.settle('charged', { usd: 0.2, isStreaming: true });
    await user.expectUsage({ usd: 0.2, reservedUsd: 0, inFlight: 1 });
    await stream.settle('ended');
    await stream.settle('ended');
    await user.expectUsage({ usd: 0.2, reservedUsd: 0, inFlight: 0 });
  },
  'A request whose lease ends is no longer in flight, may have been charged, and can still be settled':
    async (user) => {
      const lost = await user.reserve({ usd: 0.1, leaseMs: 1 });
      const renewed = await user.reserve({ usd: 0.2, leaseMs: 5_000 });
      await user.store.renew(user.name, [renewed.id], 60_000);
      await eventually(() => user.expectUsage({ reservedUsd: 0.3, inFlight: 1 }));
      await lost.settle('rejected');
      await user.expectUsage({ usd: 0, reservedUsd: 0.2, inFlight: 1 });
    },
  'An attempt is admitted once per user, unless it was refused for another reason': async (
    user,
    newUser,
  ) => {
    await user.expect('requests', { attempt: 'a', limits: { requests: 0 } });
    await user.expect(undefined, { attempt: 'a' });
    await user.expect('attempt', { attempt: 'a' });
    await user.expect(undefined, { attempt: 'b' });
    const other = await newUser();
    await other.expect(undefined, { attempt: 'a' });
    await user.expectUsage({ requests: 2 });
  },
  'An attempt may be used again if its request was not sent, with and without limits': async ({
    store,
    name,
  }) => {
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
  'A reservation that is sent twice is one attempt': async ({ store, name }) => {
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
  'An attempt is checked even without limits, and nothing else is recorded': async (user) => {
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
  'A new window begins empty, except for requests in flight': async (_, newUser) => {
    const windowMs = 1_000;
    const user = await newUser(windowMs);
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
  'A replay of a key that an earlier window has counted is counted only if this one has lost a request (new in 0.4)':
    async (_, newUser) => {
      const user = await newUser(1_000);
      const requested = { usd: 0.1, key: 'k' };
      await (await user.reserve(requested)).settle('charged');
      await eventually(() => user.expectUsage({ usd: 0 }));
      await (await user.reserve(requested)).settle('charged', { replay: true });
      await user.expectUsage({ usd: 0, reservedUsd: 0 });
      // In one window: the last one may have begun long ago.
      await eventually(async () => {
        await (await user.reserve(requested)).settle('unknown');
        await (await user.reserve(requested)).settle('charged', { replay: true });
        await user.expectUsage({ usd: 0.1, reservedUsd: 0 });
      });
    },
};
