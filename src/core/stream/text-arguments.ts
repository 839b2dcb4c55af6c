import type { ChatCompletion } from '../../types/chat/completion.ts';
import { isRecord } from '../../types/type-guards.ts';
import { stringify } from '../http/json.ts';

/** Turns arguments of tool calls that a service sent as an object into JSON, as the accumulator of streams does. */
export function withTextArguments(completion: ChatCompletion): ChatCompletion {
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
