import type { MockClock } from './clock.ts';
import type { Fault, InjectedFault } from './http/faults.ts';
import type { KeyState } from './options.ts';
import type { InvoiceLine, MockRequest } from './records.ts';

/** A reference gateway that runs in this process. */
export interface MockGateway {
  /** The first of its keys. */
  readonly apiKey: string;
  /** Its origin for {@link MockGateway.fetch}; fictional. A socket's `listen` has its own. */
  readonly baseURL: string;
  /**
   * The gateway as a `fetch`: nothing goes over the network. Redirects are handed out, never
   * followed.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** The time that the gateway lives in; give it to the client as well. */
  readonly clock: MockClock;
  /** Every charge and refund, in order. */
  readonly invoice: readonly InvoiceLine[];
  /** Every request as received, in order. */
  readonly requests: readonly MockRequest[];
  /** The most requests that ever held a slot at once. */
  readonly peakInFlight: number;
  /** Requests that hold a slot now. */
  readonly inFlight: number;
  /** What the wallet of the first key's owner holds, and what has been spent from it. */
  readonly wallet: { readonly usd: number; readonly spentUsd: number };
  /** Every task, in the order of submission. */
  readonly tasks: readonly MockTask[];
  /**
   * Throws unless an idempotency key was charged exactly once; the message shows the lines of the
   * invoice. Without a key, unless something was charged, every charge had a key, and none of them
   * was charged twice. A refund does not undo a charge here.
   *
   * @example
   * ```ts
   * mock.fail({ route: 'POST /v1/videos', reset: 'after', times: 1 });
   * await gateway.videos.submit(params, { idempotencyKey: 'row-17' });
   * mock.assertPaidOnce('row-17');
   * ```
   *
   * @throws Error when it was paid never or more than once
   */
  assertPaidOnce(idempotencyKey?: string): void;
  /** Makes something go wrong. */
  fail(fault: Fault): InjectedFault;
  /** Ends all faults. */
  clearFaults(): void;
  /** Forgets requests and invoice, and sets the peak back; wallets, tasks and the rest stay. */
  clearRecords(): void;
  /** Changes the concurrency limit from the next request on. */
  setConcurrencyLimit(limit: number): void;
  /** Enables or disables a key. */
  setKeyState(key: string, state: KeyState): void;
}

/** A task as the gateway knows it. */
export interface MockTask {
  id: string;
  kind: 'image' | 'video' | 'audio';
  model: string;
  prompt: string;
  status: 'queued' | 'in_progress' | 'processing' | 'completed' | 'failed';
  user: string;
  chargeUsd: number;
  idempotencyKey: string | undefined;
}
