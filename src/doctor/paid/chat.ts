import { ResponseValidationError } from 'polygate';
import type { ChatCompletion, WithResponse } from 'polygate';

import { isNonEmptyString, isRecord } from '../../types/type-guards.ts';
import type { Check } from '../check.ts';
import { randomId } from '../context.ts';
import type { DiagnosisContext } from '../context.ts';
import { messageOf } from '../failure.ts';
import { needed } from '../options.ts';
import type { PricedModel } from '../prices.ts';
import type { Report } from '../report.ts';
import { list, usd } from '../text.ts';
import { pay, payForFirst } from './pay.ts';
import type { Paid } from './pay.ts';
import { chatParams, choose, payingClient } from './requests.ts';

/** The shape of a completion, and whether its idempotency key is replayed. Assumptions A8 and A11. */
export const chat: Check = {
  id: 'chat',
  title: 'Chat completion',
  needs: 'key',
  assumptions: [['A8'], ['A11', 'A chat with a reused key was not sent.']],
  async run(context, report) {
    const models = choose(context, 'chat');
    if ('detail' in models) {
      report.on('A8').skipped(models);
      report.on('A11').skipped(models);
      return;
    }
    const idempotencyKey = randomId();
    const sendWith = (model: PricedModel) => send(context, model, idempotencyKey);
    try {
      const { model } = await payForFirst(context, report, models, sendWith, (result, { id }) =>
        describeCompletion(id, result, report.on('A8')),
      );
      context.chatModel = model;
      await replay(context, report, model, idempotencyKey);
    } catch (error) {
      if (!ResponseValidationError.is(error)) throw error;
      report.on('A8').failed(messageOf(error));
    }
  },
};

function describeCompletion(
  id: string,
  { data, meta }: WithResponse<ChatCompletion>,
  report: Report,
): void {
  const charge = meta.chargeUsd === undefined ? 'an unknown amount' : usd(meta.chargeUsd);
  const detail = `${id} responded, charged ${charge}.`;
  const problems = shapeProblems(data);
  if (problems.length === 0) return report.ok(`${detail} The completion has OpenAI's shape.`);
  report.warning(`${detail} The completion differs from OpenAI's shape: ${list(problems)}.`);
}

async function send(
  context: DiagnosisContext,
  { id }: PricedModel,
  idempotencyKey: string,
): Promise<Paid<WithResponse<ChatCompletion>>> {
  const { completions } = payingClient(context, { strict: false }).chat;
  const options = { idempotencyKey, signal: context.signal };
  const result = await completions.create(chatParams(id), options).withResponse();
  return { result, meta: result.meta };
}

/** Sends the same chat with the same key again. Assumption A11. */
async function replay(
  context: DiagnosisContext,
  report: Report,
  model: PricedModel,
  idempotencyKey: string,
): Promise<void> {
  const about = report.on('A11');
  const sendAgain = () => send(context, model, idempotencyKey);
  const problem = await pay(context, report, model, sendAgain, ({ meta }) => {
    const need = needed.retryAmbiguousChat(meta);
    if (need) {
      about.warning('A chat with a reused key is replayed without a second charge.', need);
    } else {
      about.ok(
        'A chat with a reused key is charged again, as the client assumes: it never resends a chat that may have been charged.',
      );
    }
  });
  if (problem !== undefined) about.skipped(problem);
}

/** The fields of a completion that differ from OpenAI's. */
function shapeProblems(completion: unknown): string[] {
  const { object, choices, usage } = isRecord(completion) ? completion : {};
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const { message, finish_reason } = isRecord(choice) ? choice : {};
  const { prompt_tokens } = isRecord(usage) ? usage : {};
  return [
    object !== 'chat.completion' && `object is ${JSON.stringify(object)}`,
    !isRecord(message) && 'choices[0].message is missing',
    !isNonEmptyString(finish_reason) && 'finish_reason is missing',
    typeof prompt_tokens !== 'number' && 'usage is missing',
  ].filter((problem) => problem !== false);
}
