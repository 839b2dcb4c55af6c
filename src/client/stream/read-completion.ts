import { chatCompletionSchema } from '../../wire/types/chat/completion.ts';
import type { ChatCompletion, ChatUsage } from '../../wire/types/chat/completion.ts';
import { isFinished } from '../../wire/types/chat/finished.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { readJson, readWithSchema } from '../call/response.ts';
import type { ReceivedResponse, ResponseHandler } from '../call/response.ts';
import { choiceError, hasError, parseErrorBody } from '../http/error-body.ts';
import { stringify } from '../http/json.ts';
import { streamReader } from './pending-stream.ts';

const readCompletionBody = readJson(readWithSchema(chatCompletionSchema), readOther);

/** Handles the response to a chat that is not streamed. */
export const readCompletion: ResponseHandler<ChatCompletion> = async (received) => {
  const completion = await readCompletionBody(received);
  if (isFailed(completion)) {
    received.call.readPartial = () => completion;
    throw received.call.reportedError('The completion contains an error', stringify(completion));
  }
  // Some services send the usage inside the choice.
  const usage = completion.choices.find((choice) => isRecord(choice.usage))?.usage;
  if (usage !== undefined) completion.usage ??= unchecked<ChatUsage>(usage);
  return withTextArguments(completion);
};

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

/** Turns arguments of tool calls that a service sent as an object into JSON, as the accumulator of streams does. */
function withTextArguments(completion: ChatCompletion): ChatCompletion {
  for (const { message } of completion.choices) {
    const { tool_calls: calls, function_call: single } = message;
    for (const call of [...(Array.isArray(calls) ? calls : []), { function: single }]) {
      const called: unknown = isRecord(call) && call.function;
      if (!isRecord(called) || typeof called.arguments === 'string') continue;
      called.arguments = stringify(called.arguments ?? '');
    }
  }
  return completion;
}
