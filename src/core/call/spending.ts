import type { Outcome } from '../../errors/base.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import { notify } from '../config/log.ts';
import { fitsBudget } from '../limits/budget.ts';
import type { ApiCall } from './api-call.ts';
import type { ClientContext } from './context.ts';
import type { CallErrors } from './errors.ts';

/** What one paid call does to the ledger: it reserves its estimated price, and records its charge. */
export class Spending {
  readonly #context: ClientContext;
  readonly #call: ApiCall;
  readonly #errors: CallErrors;
  readonly #idempotencyKey: string | undefined;
  #hasReservation = false;

  constructor(
    context: ClientContext,
    call: ApiCall,
    errors: CallErrors,
    idempotencyKey: string | undefined,
  ) {
    this.#context = context;
    this.#call = call;
    this.#errors = errors;
    this.#idempotencyKey = idempotencyKey;
  }

  /** Calls with one key share a reservation if the key is charged at most once. `errors` identifies any other call. */
  get #owner(): unknown {
    return this.#call.safety === 'keyed' ? this.#idempotencyKey : this.#errors;
  }

  /** Reserves the estimated price, or throws if the budget does not cover it. */
  reserve(): void {
    const { config, shared } = this.#context;
    const { budget } = config;
    const { ledger, prices } = shared;
    const owner = this.#owner;
    if (!budget || this.#hasReservation || ledger.hasCharge(owner)) return;
    const price = this.#call.estimateUsd?.(prices.get(this.#call.model ?? ''));
    const commitments = ledger.commitments(owner);
    if (!fitsBudget(budget, commitments, price)) {
      throw this.#errors.budgetExceeded(budget, commitments, price);
    }
    if (price === undefined) return;
    ledger.reserve(owner, this.#errors, price);
    this.#hasReservation = true;
  }

  /** Ends the reservation of a call that failed. */
  leave(outcome: Outcome | undefined): void {
    this.#context.shared.ledger.leaveReservation(this.#owner, this.#errors, outcome);
  }

  /** Records the charge that a response reports. */
  record(isSuccess: boolean, meta: ResponseMeta): void {
    const { config, shared } = this.#context;
    const { method, template, model } = this.#call;
    const route = `${method} ${template}`;
    if (isSuccess || meta.chargeUsd !== undefined) shared.ledger.releaseReservation(this.#owner);
    const charge = shared.ledger.record(
      { route, model, idempotencyKey: this.#idempotencyKey },
      meta,
    );
    if (charge === undefined) return;
    config.log.info(() => `${route}: charged ${charge.usd} USD`);
    notify(config.log, config.onCharge, charge, 'onCharge');
  }
}
