import { StreamTruncatedError } from 'polygate';
import type { ChatCompletion, Model } from 'polygate';

import { chargeOfFailure, chargeOfResult } from '../charge.ts';
import type { Charge } from '../charge.ts';
import type { PricedModel } from '../prices.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { messageOf } from '../run/failure.ts';
import { pay } from './pay.ts';
import type { Paid } from './pay.ts';
import { chatParams, choose, payingClient } from './requests.ts';

const noModel = 'No chat has succeeded, so no model is known to stream with.';

/** How a stream has ended after its headers were received. */
interface StreamEnd {
  /** Undefined if it has failed. */
  readonly completion?: ChatCompletion;
  readonly error?: unknown;
}

/** Whether the end of a streamed chat can be distinguished from a lost connection. `model` has responded to `chat`. */
export const stream = (
  models: readonly Model[] | undefined,
  model: PricedModel | undefined,
): Check => ({
  id: 'stream',
  title: 'Streamed chat',
  requires: 'key',
  async run(context, report) {
    if (model === undefined) {
      const candidates = choose(context, models, 'chat');
      return report.skipped(candidates.kind === 'skipped' ? candidates.reason : noModel);
    }
    const sent = await pay(context, report, { model, send: () => send(context, model) });
    if (sent.kind === 'skipped') return report.skipped(sent.reason);
    const { completion, error } = sent.result;
    if (completion) return report.ok(describeEnd(completion));
    if (!StreamTruncatedError.is(error)) throw error;
    report.failed(
      `The stream ended without [DONE] or finish_reason, so it may be truncated. ${messageOf(error)}`,
      {
        advice:
          'If this happens each time, the service or a proxy cuts streams off, or ends them without [DONE] and finish_reason. Every stream of the client then fails.',
      },
    );
  },
});

async function send(context: DiagnosisContext, { id }: PricedModel): Promise<Paid<StreamEnd>> {
  const { completions } = payingClient(context, 'chat').chat;
  const chunks = completions.stream(chatParams(id), { signal: context.signal });
  try {
    const completion = await chunks.final();
    const { meta } = chunks;
    const charge: Charge = meta ? chargeOfResult(meta, { isReplay: false }) : { kind: 'possible' };
    return { result: { completion }, charge };
  } catch (error) {
    const { meta } = chunks;
    if (!meta) throw error;
    // The headers may have reported the charge.
    return { result: { error }, charge: chargeOfFailure(error, { meta }) };
  }
}

function describeEnd({ choices }: ChatCompletion): string {
  const reasons = choices.map(({ finish_reason }) => finish_reason);
  const isProven = reasons.length > 0 && reasons.every(Boolean);
  return isProven
    ? `The stream ended with finish_reason ${reasons.join(', ')}, so a truncated one is recognized.`
    : 'The stream ended with [DONE], but without a finish_reason.';
}
