import { requestJson } from '../core/call/endpoint.ts';
import type { RequestPromise } from '../core/call/request-promise.ts';
import type { RequestOptions } from '../core/call/request-options.ts';
import type { ClientContext } from '../core/call/context.ts';
import { accountSchema, keyBalanceSchema, readinessSchema } from '../schemas/account.ts';
import type {
  Account as AccountRecord,
  KeyBalance,
  Readiness,
  ReadinessCheck,
} from '../schemas/account.ts';

/** The account behind the key. Specification: Account and catalog. */
export class Account {
  readonly #context: ClientContext;

  /** @internal */
  constructor(context: ClientContext) {
    this.#context = context;
  }

  /**
   * The wallet, the concurrency limit and how many models the key can use. Specification: GET /account.
   *
   * @throws {@link AuthenticationError} without a valid key; {@link PermissionDeniedError} with a disabled one.
   */
  retrieve(options?: RequestOptions): RequestPromise<AccountRecord> {
    return requestJson(this.#context, '/v1/account', accountSchema, options);
  }

  /**
   * Whether the account is ready for production; see {@link blockers}. Specification: GET /readiness.
   *
   * @throws as {@link Account.retrieve}.
   */
  readiness(options?: RequestOptions): RequestPromise<Readiness> {
    return requestJson(this.#context, '/v1/readiness', readinessSchema, options);
  }

  /**
   * The key's own record: the owner's balance and the key's quota. Specification: GET /api/usage/balance.
   *
   * @throws as {@link Account.retrieve}; this endpoint's own error envelope becomes the same errors.
   */
  balance(options?: RequestOptions): RequestPromise<KeyBalance> {
    return requestJson(this.#context, '/api/usage/balance', keyBalanceSchema, options);
  }
}

/** What stands in the way of going live: required checks that are not `ready`. */
export function blockers({ checks }: Readiness): ReadinessCheck[] {
  return checks.filter(({ required, status }) => required && status !== 'ready');
}
