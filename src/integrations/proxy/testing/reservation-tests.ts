import { expectEqual, longWindow } from './store-test.ts';
import type { StoreRules } from './store-test.ts';

/** Tests of what becomes of a reservation. */
export const reservationTests: StoreRules = {
  'A charge replaces the reservation, even if it is higher': async (user) => {
    await (await user.reserve({ usd: 0.1, isChargedOnce: false })).settle('charged', { usd: 0.3 });
    await (await user.reserve({ usd: 0.1, key: 'k' })).settle('charged', { usd: 0.05 });
    await user.expectUsage({ usd: 0.35, reservedUsd: 0 });
  },
  'An estimate counts what is reserved for the key, if that is more': async (user) => {
    await (await user.reserve({ usd: 0.3, key: 'k' })).settle('unknown');
    const retry = await user.reserve({ usd: 0.1, key: 'k' });
    await retry.settle('charged', { isEstimate: true, replay: true });
    await (await user.reserve({ usd: 0.2 })).settle('charged', { isEstimate: true });
    await user.expectUsage({ usd: 0.5, reservedUsd: 0 });
  },
  'A request that was rejected or not sent frees its reservation': async (user) => {
    for (const as of ['rejected', 'invalid', 'not-sent'] as const) {
      await (await user.reserve({ usd: 0.1, key: as })).settle(as);
    }
    await user.expectUsage({ usd: 0, reservedUsd: 0, requests: 3, inFlight: 0 });
  },
  'A settlement that arrives twice counts once': async (user) => {
    const request = await user.reserve({ usd: 0.1 });
    await request.settle('charged');
    await request.settle('charged');
    await user.expectUsage({ usd: 0.1, reservedUsd: 0, requests: 1 });
  },
  'A charge counts once even if its reservation is gone, and an unknown outcome stays reserved (new in 0.4)':
    async (user) => {
      const limits = { usd: 1 };
      // What was refused was not recorded, so the store does not know it, as after a failover.
      const charged = await user.expect('usd', { usd: 2, limits });
      await charged.settle('charged', { usd: 0.3 });
      await charged.settle('charged', { usd: 0.3 });
      await user.expectUsage({ usd: 0.3, reservedUsd: 0 });
      const lost = await user.expect('usd', { usd: 2, key: 'k', limits });
      await lost.settle('unknown', { usd: 0.2 });
      await lost.settle('unknown', { usd: 0.2 });
      await user.expectUsage({ usd: 0.3, reservedUsd: 0.2 });
      await (await user.expect('usd', { usd: 2, limits })).settle('rejected');
      await user.expectUsage({ usd: 0.3, reservedUsd: 0.2 });
    },
  'A charge whose own reservation is gone ends what its key has reserved (new in 0.4)': async (
    user,
  ) => {
    const limits = { usd: 0.3 };
    await (await user.expect(undefined, { usd: 0.2, key: 'k', limits })).settle('unknown');
    const resent = await user.expect('usd', { usd: 2, key: 'k', limits });
    await resent.settle('charged', { usd: 0.1, isEstimate: true, replay: true });
    await user.expectUsage({ usd: 0.2, reservedUsd: 0 });
  },
  'An unknown outcome keeps the reservation until the key is charged': async (user) => {
    const requested = { usd: 0.1, key: 'k', limits: { usd: 0.1 } };
    await (await user.expect(undefined, requested)).settle('unknown');
    await user.expectUsage({ usd: 0, reservedUsd: 0.1 });
    await user.expect('usd', { ...requested, key: 'other' });
    const retry = await user.expect(undefined, requested);
    await retry.settle('charged', { replay: true });
    await user.expectUsage({ usd: 0.1, reservedUsd: 0 });
  },
  'A later rejection frees an unknown outcome only if the same body is invalid and no other request has the key':
    async (user) => {
      const requested = { usd: 0.1, key: 'k' };
      await (await user.reserve(requested)).settle('unknown');
      await (await user.reserve(requested)).settle('rejected');
      await user.expectUsage({ reservedUsd: 0.1 });
      await (await user.reserve({ ...requested, body: 'other' })).settle('invalid');
      await user.expectUsage({ reservedUsd: 0.1 });
      const other = await user.reserve(requested);
      await (await user.reserve(requested)).settle('invalid');
      await user.expectUsage({ reservedUsd: 0.1 });
      await other.settle('invalid');
      await user.expectUsage({ reservedUsd: 0, inFlight: 0 });
    },
  'Requests with a key share a reservation, which is that of the most expensive one': async (
    user,
  ) => {
    const limits = { usd: 0.3 };
    const first = await user.expect(undefined, { usd: 0.1, key: 'k', limits });
    const second = await user.expect(undefined, { usd: 0.3, key: 'k', limits });
    await user.expect('usd', { usd: 0.4, key: 'k', limits });
    await user.expectUsage({ reservedUsd: 0.3 });
    await first.settle('rejected');
    await user.expectUsage({ reservedUsd: 0.3 });
    await second.settle('charged');
    await user.expectUsage({ usd: 0.3, reservedUsd: 0 });
  },
  'A reservation falls to what requests with an unknown outcome may have cost': async (user) => {
    const cheap = await user.reserve({ usd: 0.1, key: 'k' });
    const expensive = await user.reserve({ usd: 0.3, key: 'k', body: 'other' });
    await cheap.settle('unknown');
    await user.expectUsage({ reservedUsd: 0.3 });
    await expensive.settle('rejected');
    await user.expectUsage({ reservedUsd: 0.1 });
  },
  'Requests that may be charged twice have one reservation each, although they have a key': async (
    user,
  ) => {
    const requested = { usd: 0.1, key: 'k', isChargedOnce: false, limits: { usd: 0.2 } };
    const first = await user.expect(undefined, requested);
    await user.expect(undefined, requested);
    await user.expect('usd', requested);
    await first.settle('unknown');
    await user.expectUsage({ reservedUsd: 0.2 });
  },
  'A replay of a key that was counted adds nothing, in whichever order the responses arrive':
    async (user) => {
      const original = await user.reserve({ usd: 0.1, key: 'k' });
      const replay = await user.reserve({ usd: 0.1, key: 'k' });
      await replay.settle('charged', { replay: true });
      await user.expectUsage({ usd: 0.1, reservedUsd: 0 });
      await original.settle('charged');
      await (await user.reserve({ usd: 0.1, key: 'k' })).settle('charged', { replay: true });
      await user.expectUsage({ usd: 0.1, reservedUsd: 0 });
      // A key that the service has forgotten is charged again.
      await (await user.reserve({ usd: 0.1, key: 'k' })).settle('charged');
      await user.expectUsage({ usd: 0.2, reservedUsd: 0 });
    },
  'A key that was charged in this window passes at the limit, and reserves nothing': async (
    user,
  ) => {
    const limits = { usd: 0.1 };
    await (await user.reserve({ usd: 0.1, key: 'k', limits })).settle('charged');
    await user.expect('usd', { usd: 0.1, key: 'other', limits });
    const replay = await user.expect(undefined, { usd: 0.1, key: 'k', limits });
    await user.expectUsage({ usd: 0.1, reservedUsd: 0, inFlight: 1 });
    await replay.settle('unknown');
    await user.expectUsage({ usd: 0.1, reservedUsd: 0, inFlight: 0 });
  },
  'A key that was charged reserves for any other body, and once it was charged again (new in 0.4)':
    async (user) => {
      const limits = { usd: 0.1 };
      const requested = { usd: 0.1, key: 'k', limits };
      await (await user.expect(undefined, requested)).settle('charged');
      await user.expect('usd', { ...requested, body: 'other' });
      // The service has forgotten the key.
      await (await user.expect(undefined, requested)).settle('charged');
      await user.expect('usd', requested);
      await user.expectUsage({ usd: 0.2, reservedUsd: 0, inFlight: 0 });
    },
  'A request that shares a reservation passes at the limit, but not once it is exceeded (new in 0.4)':
    async (user) => {
      const requested = { usd: 0.1, key: 'k', limits: { usd: 0.2 } };
      await (await user.expect(undefined, requested)).settle('unknown');
      const other = await user.expect(undefined, { ...requested, key: 'other' });
      await (await user.expect(undefined, requested)).settle('unknown');
      await other.settle('charged', { usd: 0.15 });
      await user.expect('usd', requested);
      await user.expectUsage({ usd: 0.15, reservedUsd: 0.1 });
    },
  'A success under a key that was counted ends no reservation of another body in flight (new in 0.4)':
    async (user) => {
      for (const replay of [true, false]) {
        const requested = { usd: 0.1, key: `k ${replay}` };
        await (await user.reserve(requested)).settle('charged');
        const other = await user.reserve({ ...requested, usd: 0.3, body: 'other' });
        await (await user.reserve(requested)).settle('charged', { replay });
        await user.expectUsage({ reservedUsd: 0.3 });
        await other.settle('charged', { usd: 0.3 });
      }
      await user.expectUsage({ usd: 0.9, reservedUsd: 0 });
    },
  'A key that counts with an estimate reserves again for a request that costs more (new in 0.4)':
    async (user) => {
      const requested = { usd: 0.1, key: 'k', limits: { usd: 0.2 } };
      await (await user.expect(undefined, requested)).settle('charged', { isEstimate: true });
      await user.expect('usd', { ...requested, usd: 0.2 });
      await user.expect(undefined, requested);
      await user.expectUsage({ usd: 0.1, reservedUsd: 0 });
    },
  'A key whose replay was counted is charged again by a request that was sent later (new in 0.4)':
    async (user) => {
      const requested = { usd: 0.1, key: 'k' };
      await (await user.reserve(requested)).settle('unknown');
      await (await user.reserve(requested)).settle('charged', { replay: true });
      // The service has forgotten the key.
      await (await user.reserve({ ...requested, body: 'other' })).settle('charged', { usd: 0.2 });
      await user.expectUsage({ usd: 0.3, reservedUsd: 0 });
    },
  'A reported charge replaces a smaller estimate of its key, in whichever order they arrive (new in 0.4)':
    async (user) => {
      const estimate = { usd: 0.1, isEstimate: true };
      const first = await user.reserve({ usd: 0.1, key: 'k' });
      await (
        await user.reserve({ usd: 0.1, key: 'k' })
      ).settle('charged', {
        ...estimate,
        replay: true,
      });
      await first.settle('charged', { usd: 0.3 });
      await user.expectUsage({ usd: 0.3, reservedUsd: 0 });
      await (await user.reserve({ usd: 0.1, key: 'other' })).settle('charged', estimate);
      for (let count = 0; count < 2; count += 1) {
        const replay = await user.reserve({ usd: 0.1, key: 'other' });
        await replay.settle('charged', { usd: 0.2, replay: true });
      }
      await user.expectUsage({ usd: 0.5, reservedUsd: 0 });
    },
  'Users are counted separately': async (ann, newUser) => {
    const bob = await newUser();
    await (await ann.reserve({ usd: 0.1, key: 'k' })).settle('charged');
    await (await bob.reserve({ usd: 0.1, key: 'k' })).settle('charged', { replay: true });
    await bob.expectUsage({ usd: 0.1, requests: 1 });
    await ann.expectUsage({ usd: 0.1, requests: 1 });
  },
  'User ids that differ in half a surrogate pair are those of different users': async ({
    store,
    name,
  }) => {
    const ids = [`${name}\ud800`, `${name}\ud801`, `${name}\ufffd`];
    const reservation = { usd: 0.1, isChargedOnce: true, body: '', leaseMs: 60_000 };
    for (const user of ids) {
      const limits = { windowMs: longWindow, requests: 1 };
      const request = crypto.randomUUID();
      const { refused } = await store.reserve({
        ...reservation,
        user,
        request,
        limits,
        attempt: 'a',
      });
      expectEqual('refused', refused ?? 'none', 'none');
      await store.own(user, [`task of ${user}`]);
    }
    expectEqual('owners', await store.ownersOf(ids.map((user) => `task of ${user}`)), ids);
  },
};
