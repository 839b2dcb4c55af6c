import type { ChatCompletionMessage } from '../../wire/types/chat/completion.ts';
import type { ChatMessage } from '../../wire/types/chat/messages.ts';
import type { ToolCall } from '../../wire/types/chat/params.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isRecord, textOf } from '../../wire/types/type-guards.ts';
import { executableArguments } from './tool-arguments.ts';

/**
 * A message as it is sent back with the results of its calls. Some services send ids that are empty or equal, so that the
 * results would belong to no call or to several, or arguments that they do not accept back. All other messages stay as they are.
 */
export function withSentCalls(
  message: ChatCompletionMessage,
  earlier: readonly ChatMessage[],
): ChatCompletionMessage {
  const calls = callsOf(message);
  if (calls.length === 0) return message;
  const ids = calls.map(({ id }) => textOf(id));
  const taken = new Set(earlier.flatMap(callsOf).map(({ id }) => textOf(id)));
  const known = new Set([...ids, ...taken]);
  let count = 0;
  const createId = () => {
    let id: string;
    // Nine letters and digits, which is what the strictest services require.
    do id = `call${String((count += 1)).padStart(5, '0')}`;
    while (known.has(id));
    return id;
  };
  return {
    ...message,
    tool_calls: calls.map((call, index) => {
      const given = ids[index];
      const id = given !== undefined && !taken.has(given) ? given : createId();
      taken.add(id);
      const { function: called } = call;
      return {
        ...call,
        id,
        type: call.type ?? 'function',
        ...(isRecord(called) && {
          function: { ...called, arguments: executableArguments(called.arguments ?? '') },
        }),
      };
    }),
  };
}

/** The tool calls of a message, if they are a list. */
export function callsOf(message: ChatMessage | ChatCompletionMessage): ToolCall[] {
  const calls: unknown = 'tool_calls' in message ? message.tool_calls : undefined;
  return Array.isArray(calls) ? unchecked<ToolCall[]>(calls.filter(isRecord)) : [];
}
