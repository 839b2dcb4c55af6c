import { PolygateError } from 'polygate';
import type { ResponseMeta } from 'polygate';

import { needed } from '../options.ts';
import type { PricedModel } from '../prices.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { errorResponse, statusOf } from '../run/failure.ts';
import type { Report, Skip } from '../run/report.ts';
import { usd } from '../text.ts';
import { vendorHeadersOf } from '../vendor-headers.ts';

/** What is known about the charge of a request: metadata of the response that had it, if there was one. */
export type Charge = ResponseMeta | 'possible' | 'none';

/** What a paid request has returned. */
export interface Paid<Result> {
  readonly result: Result;
  readonly charge: Charge;
}

/** Sends the paid requests of a check with one model, and counts what they cost, whether they succeed or not. */
export class Payment {
  readonly model: PricedModel;
  readonly #context: DiagnosisContext;
  readonly #report: Report;

  constructor(context: DiagnosisContext, report: Report, model: PricedModel) {
    this.model = model;
    this.#context = context;
    this.#report = report;
  }

  /**
   * Sends a request, if its price may still be spent. `describe` reports what the result shows. Returns why nothing was
   * sent.
   */
  async pay<Result>(
    send: () => Promise<Paid<Result>>,
    describe: (result: Result) => void,
  ): Promise<Skip | undefined> {
    const { problem } = this;
    if (problem === undefined) this.describe(await this.send(send), describe);
    return problem;
  }

  /** Why nothing can be sent; undefined if it can. */
  get problem(): Skip | undefined {
    return this.#context.spending.problem(this.model.priceUsd);
  }

  /** Sends a request. If it fails, counts what is known about its charge. */
  async send<Result>(send: () => Promise<Paid<Result>>): Promise<Paid<Result>> {
    try {
      return await send();
    } catch (error) {
      this.#count(chargeOfFailed(error));
      throw error;
    }
  }

  /** Reports what a result shows, and counts its charge even if that fails. */
  describe<Result>({ result, charge }: Paid<Result>, describe: (result: Result) => void): void {
    try {
      describe(result);
    } finally {
      this.#count(charge);
    }
  }

  /** Counts the price of a request that may have been charged; or a charge, and reports one that is missing or too high. */
  #count(charge: Charge): void {
    const { spending } = this.#context;
    const { priceUsd } = this.model;
    if (charge === 'none') return;
    if (charge === 'possible') return spending.commitUnconfirmed(priceUsd);
    const problem = spending.record(priceUsd, charge);
    if (problem === 'too-high') this.#reportTooHigh(charge);
    if (problem === 'missing') this.#reportMissing(charge);
  }

  #reportTooHigh({ chargeUsd = 0 }: ResponseMeta): void {
    const { id, priceUsd } = this.model;
    this.#aboutCharge.failed(
      `The service charged ${usd(chargeUsd)} for ${id}, but its listed price is at most ${usd(priceUsd)}.`,
      {
        advice:
          'Do not rely on listed prices: a budget reserves them. Ask the operator about the difference.',
      },
    );
  }

  #reportMissing(meta: ResponseMeta): void {
    const detail = `The response reports no charge, so spend, budget and onCharge do not count it. It may have cost ${usd(this.model.priceUsd)}.`;
    const advice =
      'Check whether a proxy removes response headers. Without them, read the charges in your account.';
    const need = needed.headerPrefix(vendorHeadersOf([meta]));
    if (need === undefined) return this.#aboutCharge.failed(detail, { advice });
    this.#context.adopt(need.option);
    this.#aboutCharge.warning(detail, need);
  }

  get #aboutCharge(): Report {
    return this.#report.onAspect('charge', 'Charge');
  }
}

/** What is known about the charge of a request that failed. `meta` is that of its response, if it has received one. */
export function chargeOfFailed(error: unknown, meta = errorResponse(error)?.meta): Charge {
  const { status = 0, chargeUsd, idempotentReplay } = meta ?? {};
  // A response that is not an error was charged, unless it is a replay. If it reports nothing, that is a finding.
  const isAccepted = status >= 200 && status < 300;
  const isKnown = isAccepted && (idempotentReplay || chargeUsd === undefined);
  if (meta && (isKnown || (chargeUsd ?? 0) > 0)) return meta;
  // A reported charge of 0 does not prove that a request whose outcome is unknown was free.
  const isUnknown = PolygateError.is(error) && error.outcome === 'unknown';
  // A 503 should be free, but a limit holds only if it does not depend on that.
  return isUnknown || statusOf(error) === 503 ? 'possible' : 'none';
}
