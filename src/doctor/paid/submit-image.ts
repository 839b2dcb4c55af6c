import type { Telemetry } from 'polygate';

import { randomId } from '../context.ts';
import type { PaidTask, DiagnosisContext } from '../context.ts';
import { statusOf } from '../failure.ts';
import type { PricedModel } from '../prices.ts';
import type { Report } from '../report.ts';
import { commitUnknown, payingClient } from './requests.ts';

/** Submits the image of the diagnosis. */
export async function submitImage(
  context: DiagnosisContext,
  { id: model, priceUsd, resolution }: PricedModel,
  telemetry: Telemetry,
): Promise<PaidTask> {
  const client = payingClient(context, true).withOptions({ telemetry });
  const params = { model, prompt: 'A gray square', ...(resolution && { resolution }) };
  const idempotencyKey = randomId();
  // The route whose poll path is not documented; not every service has it.
  for (const route of ['generations', 'tasks'] as const) {
    try {
      const options = { idempotencyKey, route, signal: context.signal };
      const task = await client.images.submit(params, options);
      return { task, params, route, priceUsd };
    } catch (error) {
      if (route === 'tasks' || ![404, 405].includes(statusOf(error) ?? 0)) throw error;
    }
  }
  throw new Error('unreachable');
}

/** Sends the same submit with the same key again, or one with another prompt. */
export async function resubmit(
  context: DiagnosisContext,
  report: Report,
  { task, params, route, priceUsd }: PaidTask,
  prompt = params.prompt,
) {
  const { idempotencyKey } = task;
  const options = { idempotencyKey, route, signal: context.signal };
  try {
    return await payingClient(context, true).images.submit({ ...params, prompt }, options);
  } catch (error) {
    commitUnknown(context, report, { id: params.model, priceUsd }, error);
    throw error;
  }
}
