import { ResponseValidationError, StreamTruncatedError } from 'polygate';
import type { ChatCompletion, Model, WithResponse } from 'polygate';

import { isNonEmptyString, isRecord } from '../../../wire/types/type-guards.ts';
import { needed } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { messageOf } from '../run/failure.ts';
import type { Report } from '../run/findings.ts';
import { chargeOfResult, chargeOfFailure } from '../spending.ts';
import type { PricedModel, Charge } from '../spending.ts';
import { chargeText, list, randomId } from '../text.ts';
import { isRejectedKey } from './paid-task.ts';
import { payForFirst, pay, chatParams, choose, payingClient } from './pay.ts';
import type { Sent, Skipped, Paid } from './pay.ts';

/**
 * The shape of a completion, and whether its idempotency key is replayed. Assumptions A8 and A11. Finds a chat model
 * that the service accepts.
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
    let first: Sent<{ completion: Completion; idempotencyKey: string }> | Skipped;
    try {
      first = await payForFirst(context, report, candidates.models, async (model) => {
        const idempotencyKey = randomId();
        const completion = await send(context, model, idempotencyKey);
        const charge = chargeOfResult(completion.meta, { isReplay: false });
        return { result: { completion, idempotencyKey }, charge };
      });
    } catch (error) {
      if (!ResponseValidationError.is(error)) throw error;
      return report.on('A8').failed(messageOf(error));
    }
    if (first.kind === 'skipped') return report.endsBecause(first.reason);
    const { model, result } = first;
    const { completion, idempotencyKey } = result;
    keep(model);
    describeCompletion(model, completion, report.on('A8'));
    await checkReplay(context, report.on('A11'), model, idempotencyKey);
  },
});

type Completion = WithResponse<ChatCompletion>;

function describeCompletion({ id }: PricedModel, { data, meta }: Completion, report: Report): void {
  const detail = `${id} responded, charged ${chargeText(meta.chargeUsd)}.`;
  const problems = shapeProblems(data);
  if (problems.length === 0) return report.ok(`${detail} The completion has OpenAI's shape.`);
  report.warning(`${detail} The completion differs from OpenAI's shape: ${list(problems)}.`);
}

function send(
  context: DiagnosisContext,
  { id }: PricedModel,
  idempotencyKey: string,
): Promise<Completion> {
  const { completions } = payingClient(context, 'chat').chat;
  return completions
    .create(chatParams(id), { idempotencyKey, signal: context.signal })
    .withResponse();
}

/** Sends the same chat with the same key again. Assumption A11. */
async function checkReplay(
  context: DiagnosisContext,
  report: Report,
  model: PricedModel,
  idempotencyKey: string,
): Promise<void> {
  let again: Sent<Completion> | Skipped;
  try {
    again = await pay(context, report, {
      model,
      reusesKey: true,
      send: async () => {
        const result = await send(context, model, idempotencyKey);
        const isReplay = result.meta.idempotentReplay;
        return { result, charge: chargeOfResult(result.meta, { isReplay }) };
      },
    });
  } catch (error) {
    if (!isRejectedKey(error)) throw error;
    return report.ok(
      'A chat with a reused key is rejected with a 409, so it is not charged again.',
    );
  }
  if (again.kind === 'skipped') return report.skipped(again.reason);
  const { meta } = again.result;
  const need = needed.retryAmbiguousChat(meta);
  if (need) {
    return report.warning('A chat with a reused key is replayed without a second charge.', need);
  }
  const isCharged = meta.chargeUsd ? 'is charged again' : 'is not marked as a replay';
  report.ok(
    `A chat with a reused key ${isCharged}, as the client assumes: it never resends a chat that may have been charged.`,
  );
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

const noModel = 'No chat has succeeded, so no model is known to stream with.';

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
    const sent = await pay(context, report, { model, send: () => streamChat(context, model) });
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

async function streamChat(
  context: DiagnosisContext,
  { id }: PricedModel,
): Promise<Paid<{ readonly completion?: ChatCompletion; readonly error?: unknown }>> {
  const { completions } = payingClient(context, 'chat').chat;
  const chunks = completions.stream(chatParams(id), { signal: context.signal });
  try {
    const completion = await chunks.final();
    const { meta } = chunks;
    const charge: Charge = meta ? chargeOfResult(meta, { isReplay: false }) : { money: 'unknown' };
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
