import { chatCompletionSchema } from '../../wire/types/chat/completion.ts';
import type { ChatCompletion, ChatUsage } from '../../wire/types/chat/completion.ts';
import { isFinished } from '../../wire/types/chat/finished.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { readJson } from '../call/response.ts';
import type { ReceivedResponse, ResponseHandler } from '../call/response.ts';
import { choiceError, hasError, parseErrorBody } from '../http/failure.ts';
import { stringify } from '../http/json.ts';
import { streamReader } from './pending-stream.ts';

/** Handles the response to a chat that is not streamed. */
export const readCompletion: ResponseHandler<ChatCompletion> = readJson((body, _, call) => {
  const issue = chatCompletionSchema.validate(body, []);
  if (issue !== undefined) return { issues: [issue] };
  const completion = unchecked<ChatCompletion>(body);
  if (isFailed(completion)) {
    call.readPartial = () => completion;
    throw call.reportedError('The completion contains an error', stringify(completion));
  }
  // Some services send the usage inside the choice.
  const usage = completion.choices.find((choice) => isRecord(choice.usage))?.usage;
  if (usage !== undefined) completion.usage ??= unchecked<ChatUsage>(usage);
  for (const { message } of completion.choices) {
    const { tool_calls: calls, function_call: called } = message;
    for (const each of Array.isArray(calls) ? calls : []) toTextArguments(each?.function);
    toTextArguments(called);
  }
  return { value: completion };
}, readOther);

/** Whether a choice has failed, or the whole completion before a choice had finished. */
function isFailed(completion: ChatCompletion): boolean {
  const { choices } = completion;
  if (choices.length === 0) return parseErrorBody(stringify(completion)).message !== undefined;
  const isUnfinished = choices.some(({ finish_reason: reason }) => !isFinished(reason));
  return choiceError(completion) !== undefined || (isUnfinished && hasError(completion));
}

/** The completion in a body that is no JSON. Without the part that reads it, the error for the body carries it. */
async function readOther(text: string, received: ReceivedResponse): Promise<unknown> {
  const reading = await streamReader.load({ signal: received.signal }).catch(() => undefined);
  return reading?.readOtherShape(text, received);
}

/** Turns the arguments of a call that a service sent as an object into JSON, as the accumulator of streams does. */
function toTextArguments(called: unknown): void {
  if (!isRecord(called) || typeof called.arguments === 'string') return;
  called.arguments = stringify(called.arguments ?? '');
}
