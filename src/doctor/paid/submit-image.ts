import type { SubmittedTask, SucceededGeneration, Telemetry } from 'polygate';

import type { PricedModel } from '../prices.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { statusOf } from '../run/failure.ts';
import type { Report, Skip } from '../run/report.ts';
import { randomId } from '../text.ts';
import { Payment } from './payment.ts';
import type { Paid } from './payment.ts';
import { payingClient } from './requests.ts';

/** A task that the diagnosis has paid for. */
export interface PaidTask {
  readonly task: SubmittedTask<'image'>;
  readonly params: {
    readonly model: string;
    readonly prompt: string;
    readonly resolution?: string;
  };
  readonly route: 'generations' | 'tasks';
  readonly priceUsd: number;
  /** Whether the response to the submit was already the result. */
  readonly isFinished: boolean;
  /** What the same request with the same key has returned, if it was sent again already. */
  readonly replayed?: SubmittedTask<'image'> | undefined;
  readonly result?: SucceededGeneration<'image'> | undefined;
}

/** Submits the image of the diagnosis. */
export async function submitImage(
  context: DiagnosisContext,
  { id: model, priceUsd, resolution }: PricedModel,
  telemetry: Telemetry,
): Promise<Paid<PaidTask>> {
  const client = payingClient(context, { strict: true }).withOptions({ telemetry });
  const params = { model, prompt: 'A gray square', ...(resolution && { resolution }) };
  const idempotencyKey = randomId();
  const submit = async (route: PaidTask['route']) => {
    const options = { idempotencyKey, route, signal: context.signal };
    const task = await client.images.submit(params, options);
    const isFinished = task.latest.status === 'succeeded';
    return { result: { task, params, route, priceUsd, isFinished }, charge: task.meta };
  };
  try {
    // The route whose poll path is not documented; not every service has it.
    return await submit('generations');
  } catch (error) {
    if (![404, 405].includes(statusOf(error) ?? 0)) throw error;
    return submit('tasks');
  }
}

/**
 * Sends the same submit with the same key again, or one with other params or over another route. It is free if it returns
 * the same task and reports no charge.
 */
export async function payAgain(
  context: DiagnosisContext,
  report: Report,
  { task, params, route, priceUsd }: PaidTask,
  describe: (again: SubmittedTask<'image'>) => void,
): Promise<Skip | undefined> {
  const { idempotencyKey } = task;
  const send = async (): Promise<Paid<SubmittedTask<'image'>>> => {
    const options = { idempotencyKey, route, signal: context.signal };
    const again = await payingClient(context, { strict: true }).images.submit(params, options);
    const isFree = again.id === task.id && !again.chargeUsd;
    return { result: again, charge: isFree ? 'none' : again.meta };
  };
  return new Payment(context, report, { id: params.model, priceUsd }).pay(send, describe);
}
