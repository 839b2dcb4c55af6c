import type { ClientContext } from '../client/call/context.ts';
import type { RequestOptions } from '../client/call/request-options.ts';
import type { RequestPromise } from '../client/call/request.ts';
import { requestJson, withoutBody } from '../client/call/request.ts';
import { endpoints } from '../wire/endpoints/index.ts';
import { readinessSchema } from '../wire/types/catalog/account.ts';
import type {
  Account,
  KeyBalance,
  Readiness,
  ReadinessCheck,
} from '../wire/types/catalog/account.ts';
import { anyRecord } from '../wire/types/schema.ts';

/** Shows the account that the API key belongs to: its balance, limits and readiness. */
export class AccountNamespace {
  readonly #context: ClientContext;

  /** @internal */
  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  /**
   * Retrieves the balance, the concurrency limit and the number of available models.
   *
   * @throws {@link AuthenticationError} if the API key is missing or invalid; {@link PermissionDeniedError} if it is
   * disabled or not allowed to use this endpoint.
   *
   * @example
   * ```ts
   * const { balance, concurrency } = await gateway.account.retrieve();
   * console.log(`${balance.usd} USD, ${concurrency.limit} requests at the same time`);
   * ```
   */
  retrieve(options?: RequestOptions): RequestPromise<Account> {
    return requestJson(this.#context, withoutBody(endpoints.account.retrieve, options), anyRecord);
  }

  /**
   * Retrieves the readiness of the account for production; see {@link blockers}.
   *
   * @throws the same errors as {@link AccountNamespace.retrieve}.
   */
  readiness(options?: RequestOptions): RequestPromise<Readiness> {
    return requestJson(
      this.#context,
      withoutBody(endpoints.account.readiness, options),
      readinessSchema,
    );
  }

  /**
   * Retrieves the balance of the key owner's account and the quota of the key.
   *
   * @throws the same errors as {@link AccountNamespace.retrieve}, although this endpoint uses a different error envelope.
   */
  balance(options?: RequestOptions): RequestPromise<KeyBalance> {
    return requestJson(this.#context, withoutBody(endpoints.account.balance, options), anyRecord);
  }
}

/** Returns the checks that block a launch: required checks whose status is not `ready`. */
export function blockers({ checks }: Readiness): ReadinessCheck[] {
  return checks.filter(({ required, status }) => required && status !== 'ready');
}
