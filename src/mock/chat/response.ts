import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionDelta,
  ChatUsage,
} from '../../schemas/chat-completion.ts';
import type { Reply, ReplyChoice } from './generate.ts';
import { dataEvent, done, keepAlive } from '../http/response/sse.ts';
import { pieces } from './words.ts';

/** What a completion and each of its chunks have in common. */
export interface Head {
  id: string;
  created: number;
  model: string;
  system_fingerprint: string;
}

/** The whole answer at once. Assumption A8. */
export function completion(head: Head, reply: Reply): ChatCompletion {
  const choices = reply.choices.map((choice, index) => ({
    index,
    message: {
      role: 'assistant' as const,
      content: choice.content,
      refusal: null,
      ...(choice.reasoning === undefined ? {} : { reasoning_content: choice.reasoning }),
      ...(choice.toolCalls.length === 0 ? {} : { tool_calls: choice.toolCalls }),
      ...(choice.images.length === 0 ? {} : { images: choice.images.map(image) }),
    },
    logprobs: null,
    finish_reason: choice.finish,
  }));
  return { ...head, object: 'chat.completion', choices, usage: usageOf(reply) };
}

/** The same answer as the events of a stream. Assumption A8. */
export function completionEvents(head: Head, reply: Reply, includeUsage: boolean): string[] {
  const event = (choices: ChatCompletionChunk['choices'], usage?: ChatUsage | null): string =>
    dataEvent({
      ...head,
      object: 'chat.completion.chunk',
      choices,
      ...(includeUsage ? { usage: usage ?? null } : {}),
    });
  const frames = [keepAlive];
  for (const [index, choice] of reply.choices.entries()) {
    for (const delta of deltas(choice)) {
      frames.push(event([{ index, delta, logprobs: null, finish_reason: null }]));
    }
    frames.push(event([{ index, delta: {}, logprobs: null, finish_reason: choice.finish }]));
  }
  if (includeUsage) frames.push(event([], usageOf(reply)));
  frames.push(done);
  return frames;
}

function* deltas(choice: ReplyChoice): Generator<ChatCompletionDelta> {
  yield { role: 'assistant', content: choice.content === null ? null : '', refusal: null };
  for (const piece of pieces(choice.reasoning ?? '')) yield { reasoning_content: piece };
  for (const piece of pieces(choice.content ?? '')) yield { content: piece };
  for (const [index, call] of choice.toolCalls.entries()) {
    const { id, type } = call;
    const { name, arguments: text } = call.function;
    yield { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] };
    for (const piece of pieces(text)) {
      yield { tool_calls: [{ index, function: { arguments: piece } }] };
    }
  }
  if (choice.images.length > 0) yield { images: choice.images.map(image) };
}

function image(
  url: string,
  index: number,
): {
  type: 'image_url';
  image_url: { url: string };
  index: number;
} {
  return { type: 'image_url', image_url: { url }, index };
}

function usageOf(reply: Reply): ChatUsage {
  return {
    prompt_tokens: reply.promptTokens,
    completion_tokens: reply.completionTokens,
    total_tokens: reply.promptTokens + reply.completionTokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reply.reasoningTokens },
  };
}
