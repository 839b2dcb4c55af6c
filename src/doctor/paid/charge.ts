import type { ResponseMeta } from 'polygate';

import type { DiagnosisContext } from '../context.ts';
import { needed } from '../options.ts';
import type { PricedModel } from '../prices.ts';
import type { Report } from '../report.ts';
import { usd } from '../text.ts';

/** Records the charge of a paid response, and reports one that is missing or too high. */
export function checkCharge(
  { spending }: DiagnosisContext,
  report: Report,
  { id, priceUsd }: PricedModel,
  meta: ResponseMeta,
): void {
  const problem = spending.record(priceUsd, meta);
  const about = report.onAspect('charge', 'Charge');
  if (problem === 'too-high') {
    about.failed(
      `The service charged ${usd(meta.chargeUsd ?? 0)} for ${id}, but its listed price is at most ${usd(priceUsd)}.`,
      {
        advice:
          'Do not rely on listed prices: a budget reserves them. Ask the operator about the difference.',
      },
    );
  }
  if (problem === 'missing') {
    const detail = `The response reports no charge, so spend, budget and onCharge do not count it. It may have cost ${usd(priceUsd)}.`;
    const advice =
      'Check whether a proxy removes response headers. Without them, read the charges in your account.';
    const need = needed.headerPrefix([meta]);
    if (need) about.warning(detail, need);
    else about.failed(detail, { advice });
  }
}
