import { StreamTruncatedError } from 'polygate';
import type { ChatCompletion, Model } from 'polygate';

import type { PricedModel } from '../prices.ts';
import type { Check } from '../run/check.ts';
import { messageOf } from '../run/failure.ts';
import { Payment, chargeOfFailed } from './payment.ts';
import type { Paid } from './payment.ts';
import { chatParams, choose, payingClient } from './requests.ts';

const noModel = 'No chat has succeeded, so no model is known to stream with.';

/** How a stream has ended after its headers were received. */
type StreamEnd = { readonly completion: ChatCompletion } | { readonly error: unknown };

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
    const send = async (): Promise<Paid<StreamEnd>> => {
      const { completions } = payingClient(context, { strict: false }).chat;
      const chunks = completions.stream(chatParams(model.id), { signal: context.signal });
      try {
        const completion = await chunks.final();
        return { result: { completion }, charge: chunks.meta ?? 'possible' };
      } catch (error) {
        // The headers of a stream that failed may have reported its charge.
        if (!chunks.meta) throw error;
        return { result: { error }, charge: chargeOfFailed(error, chunks.meta) };
      }
    };
    const problem = await new Payment(context, report, model).pay(send, (result) => {
      if ('completion' in result) return report.ok(describeEnd(result.completion));
      const { error } = result;
      if (!StreamTruncatedError.is(error)) throw error;
      report.failed(
        `The stream ended without [DONE] or finish_reason, so it may be truncated. ${messageOf(error)}`,
        {
          advice:
            'If this happens each time, the service or a proxy cuts streams off, or ends them without [DONE] and finish_reason. Every stream of the client then fails.',
        },
      );
    });
    if (problem !== undefined) report.skipped(problem);
  },
});

function describeEnd({ choices }: ChatCompletion): string {
  const reasons = choices.map(({ finish_reason }) => finish_reason);
  const isProven = reasons.length > 0 && reasons.every(Boolean);
  return isProven
    ? `The stream ended with finish_reason ${reasons.join(', ')}, so a truncated one is recognized.`
    : 'The stream ended with [DONE], but without a finish_reason.';
}
