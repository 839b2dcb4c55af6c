import { StreamTruncatedError } from 'polygate';

import type { Check } from '../check.ts';
import { messageOf } from '../failure.ts';
import { checkCharge } from './charge.ts';
import { chatParams, choose, commitUnknown, payingClient } from './requests.ts';

/** Whether the end of a streamed chat can be distinguished from a lost connection. */
export const stream: Check = {
  id: 'stream',
  title: 'Streamed chat',
  needs: 'key',
  async run(context, report) {
    const { chatModel: model } = context;
    if (model === undefined) {
      const models = choose(context, 'chat');
      return report.skipped('detail' in models ? models : 'The service accepted no chat.');
    }
    const problem = context.spending.problem(model.priceUsd);
    if (problem !== undefined) return report.skipped(problem);
    const { completions } = payingClient(context, false).chat;
    const chunks = completions.stream(chatParams(model.id), { signal: context.signal });
    try {
      const completion = await chunks.final();
      const reasons = completion.choices.map(({ finish_reason }) => finish_reason);
      const isProven = reasons.length > 0 && reasons.every(Boolean);
      report.ok(
        isProven
          ? `The stream ended with finish_reason ${reasons.join(', ')}, so a truncated one is recognized.`
          : 'The stream ended with [DONE], but without a finish_reason.',
      );
      if (chunks.meta) checkCharge(context, report, model, chunks.meta);
    } catch (error) {
      if (chunks.meta) checkCharge(context, report, model, chunks.meta);
      else commitUnknown(context, report, model, error);
      if (!StreamTruncatedError.is(error)) throw error;
      report.failed(`The end of the stream is not proven. ${messageOf(error)}`, {
        advice:
          'If this happens each time, the service or a proxy cuts streams off, or ends them without [DONE] and finish_reason. Every stream of the client then fails.',
      });
    }
  },
};
