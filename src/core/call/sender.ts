import type { ResponseMeta } from '../../schemas/meta.ts';
import { withAbortableBody } from '../http/abortable-body.ts';
import type { Config } from '../config/config.ts';
import type { KnownPrices } from '../limits/estimate.ts';
import { ConcurrencyLimiter } from '../limits/concurrency-limiter.ts';
import { Ledger } from '../limits/ledger.ts';
import { RequestPromise } from './request-promise.ts';
import type { ApiCall, RequestOptions } from './api-call.ts';
import { keepBodyUnread } from './response.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import { RetryBudget } from './retry.ts';
import { RequestExecution } from './execute.ts';
import { PollLimiter } from '../limits/poll-limiter.ts';

/** What clients made by `withOptions` have in common: one wallet, one account. */
export class Shared {
  readonly ledger = new Ledger();
  readonly retries = new RetryBudget();
  readonly governor: ConcurrencyLimiter;
  readonly waits: PollLimiter;
  /** Prices of the models that were asked for. */
  readonly prices = new Map<string, KnownPrices>();
  /** Poll paths that worked, by kind of task. */
  readonly pollPaths = new Map<string, string>();

  constructor(config: Config) {
    this.governor = new ConcurrencyLimiter(config.clock);
    this.waits = new PollLimiter(config.clock);
  }
}

/** Sends calls for one client. */
export class Sender {
  readonly config: Config;
  readonly shared: Shared;

  constructor(config: Config, shared: Shared = new Shared(config)) {
    this.config = config;
    this.shared = shared;
  }

  /** Sends a call until it is answered, or it is final that it failed. */
  async send<Result>(
    call: ApiCall,
    options: RequestOptions | undefined,
    finish: ResponseHandler<Result>,
  ): Promise<ApiResponse<Result>> {
    return new RequestExecution(this, call, options, finish).answer();
  }

  /** Sends a call whose body is left to the caller; the caller's signal ends that, too. */
  async leave(call: ApiCall, options: RequestOptions | undefined): Promise<ApiResponse<undefined>> {
    const answer = await this.send(call, options, keepBodyUnread);
    return { ...answer, response: withAbortableBody(answer.response, options?.signal) };
  }

  /**
   * The promise of a call for users. `describe` may refuse, which rejects the promise; `then` takes the answer further.
   */
  promise<Result, Final = Result>(
    describe: () => ApiCall,
    options: RequestOptions | undefined,
    finish: ResponseHandler<Result>,
    then: (answer: ApiResponse<Result>) => Promise<ApiResponse<Final>> | ApiResponse<Final>,
  ): RequestPromise<Final> {
    return new RequestPromise({
      parsed: async () => then(await this.send(describe(), options, finish)),
      raw: async () => this.leave(describe(), options),
    });
  }

  /** What every answer teaches, good or bad: what it cost and how many may run at once. */
  learn(call: ApiCall, idempotencyKey: string | undefined, meta: ResponseMeta): void {
    const { governor, ledger, retries } = this.shared;
    const { method, template, model, paid, usesSlot: governed } = call;
    const route = `${method} ${template}`;
    this.config.log.debug(
      () => `${route}: answered ${meta.status}, request ${meta.requestId ?? 'without id'}`,
    );
    const { status, concurrency } = meta;
    if (status < 400) retries.refund();
    if (governed && (status < 400 || concurrency.limit !== undefined)) governor.told(concurrency);
    if (!paid) return;
    const charge = ledger.record({ route, model, idempotencyKey }, meta);
    if (charge === undefined) return;
    this.config.log.info(() => `${route}: charged ${charge.usd} USD`);
    this.notify(this.config.onCharge, charge, 'onCharge');
  }

  /** Calls a function of the user; what it throws is logged and breaks nothing. */
  notify<Value>(callback: ((value: Value) => void) | undefined, value: Value, name: string): void {
    const call = async (): Promise<void> => callback?.(value);
    call().catch((error: unknown) => {
      this.config.log.error(
        () => `${name} threw: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
  }
}
