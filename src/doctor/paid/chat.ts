import { ResponseValidationError } from 'polygate';
import type { ChatCompletion, Model, WithResponse } from 'polygate';

import { isNonEmptyString, isRecord } from '../../types/type-guards.ts';
import { needed } from '../options.ts';
import type { PricedModel } from '../prices.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { messageOf } from '../run/failure.ts';
import type { Report } from '../run/report.ts';
import { list, randomId, usd } from '../text.ts';
import { payForFirst } from './pay-for-first.ts';
import type { Accepted } from './pay-for-first.ts';
import { Payment } from './payment.ts';
import type { Paid } from './payment.ts';
import { chatParams, choose, payingClient } from './requests.ts';
import type { Skipped } from './requests.ts';

/**
 * The shape of a completion, and whether its idempotency key is replayed. Assumptions A8 and A11. Finds a chat model that
 * the service accepts.
 */
export const chat = (models: readonly Model[] | undefined): Check<PricedModel> => ({
  id: 'chat',
  title: 'Chat completion',
  requires: 'key',
  assumptions: [
    { id: 'A8', ifOpen: 'Not tested.' },
    { id: 'A11', aspect: 'replay', ifOpen: 'A chat with a reused key was not sent.' },
  ],
  async run(context, report, keep) {
    const candidates = choose(context, models, 'chat');
    if (candidates.kind === 'skipped') return report.endsBecause(candidates.reason);
    const idempotencyKey = randomId();
    const payments = candidates.models.map((model) => new Payment(context, report, model));
    const sendWith = (model: PricedModel) => send(context, model, idempotencyKey);
    let paid: Accepted<unknown> | Skipped;
    try {
      paid = await payForFirst(payments, sendWith, (result, { id }) =>
        describeCompletion(id, result, report.on('A8')),
      );
    } catch (error) {
      if (!ResponseValidationError.is(error)) throw error;
      return report.on('A8').failed(messageOf(error));
    }
    if (paid.kind === 'skipped') return report.endsBecause(paid.reason);
    keep(paid.model);
    await checkReplay(context, report.on('A11'), paid.model, idempotencyKey);
  },
});

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
  return { result, charge: result.meta };
}

/** Sends the same chat with the same key again. Assumption A11. */
async function checkReplay(
  context: DiagnosisContext,
  report: Report,
  model: PricedModel,
  idempotencyKey: string,
): Promise<void> {
  const sendAgain = () => send(context, model, idempotencyKey);
  const payment = new Payment(context, report, model);
  const problem = await payment.pay(sendAgain, ({ meta }) => {
    const need = needed.retryAmbiguousChat(meta);
    if (need) {
      report.warning('A chat with a reused key is replayed without a second charge.', need);
    } else {
      report.ok(
        'A chat with a reused key is charged again, as the client assumes: it never resends a chat that may have been charged.',
      );
    }
  });
  if (problem !== undefined) report.skipped(problem);
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
