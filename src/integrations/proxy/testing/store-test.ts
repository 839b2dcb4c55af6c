import type { Reservation, ReserveResult, SettledAs, Settlement, Store } from '../store/store.ts';

/** Creates or opens a store. */
export type MakeStore = () => Store | Promise<Store>;

/** A rule that every store must keep. */
export interface StoreTest {
  readonly name: string;
  /** Rejects with what is wrong if the store breaks the rule. */
  readonly run: () => Promise<void>;
}

/**
 * Rules by name, each with a test that rejects if it is broken. A test gets a user whom no other test has, and can create
 * others.
 */
export type StoreRules = Readonly<
  Record<
    string,
    (user: TestUser, newUser: (windowMs?: number) => Promise<TestUser>) => Promise<void>
  >
>;

/** A window that does not end during a test. */
export const longWindow = 1e12;

/** Parts of a reservation that a test sets. */
type Requested = Partial<Omit<Reservation, 'user' | 'request' | 'limits'>> & {
  readonly limits?: Partial<NonNullable<Reservation['limits']>>;
};

/** A request that a test has reserved. */
export interface TestRequest {
  readonly result: ReserveResult;
  readonly settle: (
    as: SettledAs,
    ended?: Partial<Pick<Settlement, 'usd' | 'isEstimate' | 'replay' | 'isStreaming'>>,
  ) => Promise<void>;
  readonly id: string;
}

/** A user with a window. */
export interface TestUser {
  readonly name: string;
  readonly store: Store;
  reserve(requested?: Requested): Promise<TestRequest>;
  /** Expects a request to be admitted, or refused. */
  expect(refused: ReserveResult['refused'], requested?: Requested): Promise<TestRequest>;
  /** Expects these amounts and numbers. */
  expectUsage(
    expected: Partial<Record<'usd' | 'reservedUsd' | 'requests' | 'inFlight', number>>,
  ): Promise<void>;
}

/** Opens a store with a user whom no other test has. */
export async function newUser(makeStore: MakeStore, windowMs = longWindow): Promise<TestUser> {
  const store = await makeStore();
  const name = `user ${crypto.randomUUID()}`;
  const user: TestUser = {
    name,
    store,
    async reserve({ limits, ...requested } = {}) {
      const id = crypto.randomUUID();
      const reservation: Reservation = {
        user: name,
        request: id,
        usd: 0,
        isChargedOnce: true,
        body: 'body',
        leaseMs: 60_000,
        ...requested,
        limits: { windowMs, ...limits },
      };
      const { limits: _, leaseMs: _leaseMs, ...settled } = reservation;
      return {
        id,
        result: await store.reserve(reservation),
        settle: (as, ended = {}) =>
          store.settle({
            ...settled,
            windowMs,
            as,
            isEstimate: false,
            replay: false,
            isStreaming: false,
            ...ended,
          }),
      };
    },
    async expect(refused, requested) {
      const request = await user.reserve(requested);
      expectEqual('refused', request.result.refused ?? 'none', refused ?? 'none');
      return request;
    },
    async expectUsage(expected) {
      const usage = await store.usage(name, windowMs);
      const actual: Readonly<Record<string, unknown>> = { ...usage };
      for (const [field, value] of Object.entries(expected)) {
        expectEqual(`usage.${field}`, actual[field], value);
      }
    },
  };
  return user;
}

/** @throws if two values differ. */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(
    `${what}: expected ${JSON.stringify(expected)}, but got ${JSON.stringify(actual)}`,
  );
}

/** Repeats a check until it passes, for up to ten seconds. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const end = performance.now() + 10_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
