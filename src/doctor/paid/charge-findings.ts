import type { ResponseMeta, SubmittedTask } from 'polygate';

import type { Finding } from '../check.ts';
import type { PaidTask, DiagnosisContext } from '../context.ts';
import { usd } from '../text.ts';
import { findVendorPrefix, readsVendorHeaders } from '../vendor-headers.ts';

/** Records the charge of a paid response, and reports one that is missing or too high. */
export function* chargeFindings(
  { spending }: DiagnosisContext,
  { id, priceUsd }: { readonly id: string; readonly priceUsd: number },
  meta: ResponseMeta,
): Generator<Finding, void, undefined> {
  const problem = spending.record(priceUsd, meta);
  if (problem === 'too-high') {
    yield {
      aspect: 'charge',
      title: 'Charge',
      status: 'failed',
      detail: `The service charged ${usd(meta.chargeUsd ?? 0)} for ${id}, but its listed price is at most ${usd(priceUsd)}.`,
      advice:
        'Do not rely on listed prices: a budget reserves them. Ask the operator about the difference.',
    };
  }
  if (problem === 'missing') {
    const prefix = readsVendorHeaders([meta]) ? undefined : findVendorPrefix([meta]);
    yield {
      aspect: 'charge',
      title: 'Charge',
      status: prefix ? 'warning' : 'failed',
      detail: `The response reports no charge, so spend, budget and onCharge do not count it. It may have cost ${usd(priceUsd)}.`,
      advice: prefix
        ? 'Set headerPrefix.'
        : 'Check whether a proxy removes response headers. Without them, read the charges in your account.',
      ...(prefix && { option: { headerPrefix: prefix } }),
    };
  }
}

/** The same for a submit with a key that was used before: it is free if it returns the same task and reports no charge. */
export function* resubmitFindings(
  context: DiagnosisContext,
  { task, params, priceUsd }: PaidTask,
  again: SubmittedTask<'image'>,
): Generator<Finding, void, undefined> {
  if (again.id === task.id && !again.chargeUsd) return;
  yield* chargeFindings(context, { id: params.model, priceUsd }, again.meta);
}
