import { roundUsd } from '../../paid/amounts.ts';
import type { Claim, Entry } from '../../paid/books.ts';
import { verdictOf } from '../../paid/verdict.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { startSpan } from '../config/caller.ts';
import type { Span } from '../config/caller.ts';
import { monotonicNow } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { notify } from '../config/log.ts';
import { singleLine } from '../http/json.ts';
import { Part } from '../http/part.ts';
import { limitsOf, routeOf } from './api-request.ts';
import type { ApiRequest, CallLimits } from './api-request.ts';
import type { CallBudget } from './call-budget.ts';
import type { ClientContext } from './context.ts';
import { CallErrors } from './errors.ts';
import { noOptions } from './request-options.ts';
import type { CheckedOptions } from './request-options.ts';

/**
 * A call in progress: its request and options, what has happened in it, its money, and its time. Its errors are made from
 * it.
 */
export class Call extends CallErrors {
  readonly context: ClientContext;
  readonly options: CheckedOptions;
  readonly span: Span | undefined;
  readonly limits: CallLimits;
  /** When it began, on the monotonic clock. */
  readonly startedAt: number;
  /** Its ledger entry, if it costs money. */
  readonly entry: Entry | undefined;
  /** What its budget demands, if it costs money and its client has one. */
  readonly budget: CallBudget | undefined;

  constructor(context: ClientContext, request: ApiRequest) {
    super(request);
    const { config } = context;
    const { options = noOptions } = request;
    this.context = context;
    this.options = options;
    this.startedAt = monotonicNow(config.clock);
    this.span = config.telemetry && startCallSpan(config, request, options.parent);
    this.entry = request.paid ? openEntry(this) : undefined;
    const { reservation } = this.entry ?? {};
    if (config.budget && budgets.loaded && reservation) {
      this.budget = new budgets.loaded.CallBudget(this, config.budget, reservation);
    }
    this.limits = limitsOf(config, this.startedAt, options, request);
  }

  get config(): Config {
    return this.context.config;
  }

  /**
   * Records the charge that the response to a paid call reports. If the call has succeeded and none is reported, its
   * estimate counts toward the budget.
   */
  recordCharge(meta: ResponseMeta): void {
    const { entry, span } = this;
    const { shared } = this.context;
    const { log, onCharge } = this.config;
    const verdict = verdictOf(meta);
    if (verdict.money === 'accepted' && meta.chargeUsd === undefined) {
      this.#reportInvalidCharge(meta);
    }
    const charge = entry && shared.ledger.record(entry, this.request.model, verdict, meta);
    if (charge === undefined) return;
    if (charge.usd > 0) this.charges += 1;
    this.chargedUsd = roundUsd(this.chargedUsd + charge.usd);
    log.info(() => `${routeOf(this.request)}: charged ${charge.usd} USD`);
    this.request.observer?.onCharge?.(charge.usd);
    notify(log, onCharge, charge, 'onCharge');
    span?.event({ type: 'charge', charge });
  }

  /** Its price in USD, by the formulas and the listed prices; undefined if it is not known. */
  estimate(): number | undefined {
    const { estimateUsd, model = '' } = this.request;
    return estimateUsd?.(this.context.shared.prices.get(model));
  }

  /** Logs a charge header that is negative or not a number: the estimate counts instead. */
  #reportInvalidCharge({ headers }: ResponseMeta): void {
    const { log, headerPrefix } = this.config;
    const invalid = headers.get(`${headerPrefix}charge-usd`);
    if (!invalid) return;
    log.warn(
      () =>
        `${routeOf(this.request)}: the service reported an invalid charge (${singleLine(invalid, 40)}), so an estimate counts`,
    );
  }
}

/** What a budget needs: loaded before the first paid call of a client that has one. */
export const budgets = /* @__PURE__ */ new Part(() => import('./call-budget.ts'));

/** Opens the ledger entry of a paid call. */
function openEntry(call: Call): Entry {
  const { request, context } = call;
  const { config, shared } = context;
  const { books } = shared.ledger;
  if (config.budget && budgets.loaded) {
    books.reservations ??= new budgets.loaded.Reservations(books);
  }
  const { kind, template, safety, options } = request;
  const route = routeOf(request);
  const idempotencyKey = options?.idempotencyKey;
  // The service replays a key only for the same kind of task, so an image and a video with one key are two charges.
  const key = idempotencyKey && `${kind ?? template} ${idempotencyKey}`;
  const claim: Claim = {
    route,
    key,
    isChargedOnce: safety === 'keyed',
    readBody: () => budgets.loaded?.fingerprint(request) ?? '',
    estimate: () => call.estimate(),
    unitsOf: (price) =>
      budgets.loaded?.estimatedUnits([route, request.model], price, request.estimateUsd),
  };
  return books.open(claim);
}

function startCallSpan(config: Config, request: ApiRequest, parent: Span | undefined) {
  const { method, template, model, headers, body } = request;
  const operation = {
    type: 'call',
    method,
    template,
    baseURL: config.baseURL,
    model,
    stream: headers?.accept === 'text/event-stream',
    // A copy of bytes: telemetry must not be able to change what is sent.
    body: body?.slice(),
  } as const;
  const span = startSpan(config, operation, parent);
  if (request.previous) {
    const { model: from, status } = request.previous;
    span?.event({ type: 'fallback', from, to: model ?? '', status });
  }
  return span;
}
