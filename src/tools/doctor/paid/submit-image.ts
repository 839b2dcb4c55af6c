import { ConflictError } from 'polygate';
import type { SubmittedTask, SucceededGeneration } from 'polygate';

import type { PricedModel } from '../prices.ts';
import { recordCalls } from '../recorder.ts';
import type { RecordedCall } from '../recorder.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { isMissing, statusOf } from '../run/failure.ts';
import type { Report } from '../run/findings.ts';
import { chargeOfFailure, chargeOfResult } from '../spending.ts';
import { randomId } from '../text.ts';
import { pay, payingClient } from './pay.ts';
import type { Paid, Sent, Skipped } from './pay.ts';

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
  /** The submit and the polls of `task` so far. */
  readonly calls: readonly RecordedCall[];
  /** What the same request with the same key has returned, if it was sent again already. */
  readonly replay?: Resubmit | undefined;
  readonly result?: SucceededGeneration<'image'> | undefined;
}

/** What a submit with the key of a paid task has returned. */
export interface Resubmit {
  readonly task: SubmittedTask<'image'>;
  /** Whether it is the paid task. */
  readonly isSame: boolean;
  /** Whether it was free. */
  readonly isFree: boolean;
}

/** Submits the image of the diagnosis. */
export async function submitImage(
  context: DiagnosisContext,
  { id: model, priceUsd, resolution }: PricedModel,
): Promise<Paid<PaidTask>> {
  const { client, calls } = recordCalls(payingClient(context, 'image'));
  const params = { model, prompt: 'A gray square', ...(resolution && { resolution }) };
  const idempotencyKey = randomId();
  const submit = async (route: PaidTask['route']) => {
    const options = { idempotencyKey, route, signal: context.signal };
    const task = await client.images.submit(params, options);
    const isFinished = task.latest.status === 'succeeded';
    const charge = chargeOfResult(task.meta, { isReplay: false });
    return { result: { task, params, route, priceUsd, isFinished, calls }, charge };
  };
  try {
    // The route whose poll path is not documented; not every service has it.
    return await submit('generations');
  } catch (error) {
    if (!isMissing(statusOf(error)) || chargeOfFailure(error).money !== 'none') throw error;
    return submit('tasks');
  }
}

/** Sends the same submit with the same key again, or one with other params or over another route. */
export function resubmit(
  context: DiagnosisContext,
  report: Report,
  { task, params, route, priceUsd }: PaidTask,
): Promise<Sent<Resubmit> | Skipped> {
  return pay(context, report, {
    model: { id: params.model, priceUsd },
    reusesKey: true,
    async send() {
      const { idempotencyKey } = task;
      const options = { idempotencyKey, route, signal: context.signal };
      const again = await payingClient(context, 'image').images.submit(params, options);
      const isSame = again.id === task.id;
      const isFree = isSame && (again.replayed || !again.chargeUsd);
      const charge = chargeOfResult(again.meta, { isReplay: isFree });
      return { result: { task: again, isSame, isFree }, charge };
    },
  });
}

/**
 * Whether the service has rejected a key that was used before. A 409 of a proxy can also follow a request that was
 * sent.
 */
export const isRejectedKey = (error: unknown): boolean =>
  ConflictError.is(error) && error.outcome === 'rejected';
