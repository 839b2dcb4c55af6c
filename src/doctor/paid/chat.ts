import { ResponseValidationError } from 'polygate';
import type { ChatCompletion, WithResponse } from 'polygate';

import { isNonEmptyString, isRecord } from '../../schemas/type-guards.ts';
import type { Check, Finding, Findings } from '../check.ts';
import { randomId } from '../context.ts';
import type { DiagnosisContext } from '../context.ts';
import { messageOf } from '../failure.ts';
import type { PricedModel } from '../prices.ts';
import { list, usd } from '../text.ts';
import { chargeFindings } from './charge-findings.ts';
import { chatParams, choose, commitUnknown, payingClient, tryModels } from './requests.ts';

/** The shape of a completion, and whether its idempotency key is replayed. Assumptions A8 and A11. */
export const chat: Check = {
  id: 'chat',
  title: 'Chat completion',
  needs: 'key',
  assumptions: [['A8'], ['A11', 'A chat with a reused key was not sent.']],
  async *run(context) {
    const models = choose(context, 'chat');
    if (typeof models === 'string') {
      yield { assumption: 'A8', status: 'skipped', detail: models };
      yield { assumption: 'A11', status: 'skipped', detail: models };
      return;
    }
    const idempotencyKey = randomId();
    try {
      const sent = await tryModels(context, models, (model) =>
        send(context, model, idempotencyKey),
      );
      const { model, result } = sent;
      context.chatModel = model;
      yield describeCompletion(model.id, result);
      yield* chargeFindings(context, model, result.meta);
      yield* replay(context, model, idempotencyKey);
    } catch (error) {
      if (!ResponseValidationError.is(error)) throw error;
      yield { assumption: 'A8', status: 'failed', detail: messageOf(error) };
    }
  },
};

function describeCompletion(id: string, { data, meta }: WithResponse<ChatCompletion>): Finding {
  const charge = meta.chargeUsd === undefined ? 'an unknown amount' : usd(meta.chargeUsd);
  const problems = shapeProblems(data);
  const isDifferent = problems.length > 0;
  const shape = isDifferent
    ? `The completion differs from OpenAI's shape: ${list(problems)}.`
    : "The completion has OpenAI's shape.";
  return {
    assumption: 'A8',
    status: isDifferent ? 'warning' : 'ok',
    detail: `${id} responded, charged ${charge}. ${shape}`,
  };
}

async function send(context: DiagnosisContext, { id }: PricedModel, idempotencyKey: string) {
  const client = payingClient(context, false);
  const options = { idempotencyKey, signal: context.signal };
  return client.chat.completions.create(chatParams(id), options).withResponse();
}

/** Sends the same chat with the same key again. Assumption A11. */
async function* replay(
  context: DiagnosisContext,
  model: PricedModel,
  idempotencyKey: string,
): Findings {
  const assumption = 'A11';
  const problem = context.spending.problem(model.priceUsd);
  if (problem !== undefined) {
    yield { assumption, status: 'skipped', detail: problem };
    return;
  }
  try {
    const { meta } = await send(context, model, idempotencyKey);
    if (!meta.idempotentReplay) {
      const detail =
        'A chat with a reused key is charged again, as the client assumes: it never resends a chat that may have been charged.';
      yield { assumption, status: 'ok', detail };
      yield* chargeFindings(context, model, meta);
      return;
    }
    yield {
      assumption,
      status: 'warning',
      detail: 'A chat with a reused key is replayed without a second charge.',
      advice:
        'Unless it is set already, set retryAmbiguous.chat, so that the client recovers from lost responses. Ask the operator for a guarantee first.',
      option: { retryAmbiguous: { chat: true } },
    };
  } catch (error) {
    commitUnknown(context, model, error);
    throw error;
  }
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
