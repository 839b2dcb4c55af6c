import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionDelta,
  ChatUsage,
} from '../../wire/types/chat/completion.ts';
import { dataEvent, doneEvent, keepAliveComment } from '../http/response/response.ts';
import { hash } from '../random.ts';
import { splitTokens } from './generate.ts';
import type { ChatOutput, OutputChoice } from './generate.ts';
import type { ChatRequest } from './request.ts';

/** The fields that a completion shares with each of its chunks. */
export interface CompletionBase {
  id: string;
  created: number;
  model: string;
  system_fingerprint: string;
}

/** A completion before it is converted to JSON or to events. */
export interface GeneratedCompletion {
  base: CompletionBase;
  output: ChatOutput;
}

/** Derives the completion id from the request, so that it is the same whether streamed or not. */
export function completionId(request: ChatRequest, seed: string): string {
  const text = `${seed} ${request.model} ${request.context} ${request.choices}`;
  const part = (salt: string): string =>
    hash(salt + text)
      .toString(36)
      .padStart(7, '0');
  return `chatcmpl-${part('a')}${part('b')}${part('c')}`;
}

/** Converts the output to a single JSON completion. Assumption A8. */
export function toCompletion(base: CompletionBase, output: ChatOutput): ChatCompletion {
  const choices = output.choices.map((choice, index) => ({
    index,
    message: {
      role: 'assistant' as const,
      content: choice.content,
      refusal: null,
      ...(choice.reasoning === undefined ? {} : { reasoning_content: choice.reasoning }),
      ...(choice.toolCalls.length === 0 ? {} : { tool_calls: choice.toolCalls }),
      ...(choice.images.length === 0 ? {} : { images: choice.images.map(toImagePart) }),
    },
    logprobs: null,
    finish_reason: choice.finishReason,
  }));
  return { ...base, object: 'chat.completion', choices, usage: toUsage(output) };
}

/** Converts the output to the events of a stream. Assumption A8. */
export function toStreamEvents(
  base: CompletionBase,
  output: ChatOutput,
  includeUsage: boolean,
): string[] {
  const chunkEvent = (choices: ChatCompletionChunk['choices'], usage?: ChatUsage | null): string =>
    dataEvent({
      ...base,
      object: 'chat.completion.chunk',
      choices,
      ...(includeUsage ? { usage: usage ?? null } : {}),
    });
  const events = [keepAliveComment];
  for (const [index, choice] of output.choices.entries()) {
    for (const delta of deltas(choice)) {
      events.push(chunkEvent([{ index, delta, logprobs: null, finish_reason: null }]));
    }
    const finish_reason = choice.finishReason;
    events.push(chunkEvent([{ index, delta: {}, logprobs: null, finish_reason }]));
  }
  if (includeUsage) events.push(chunkEvent([], toUsage(output)));
  events.push(doneEvent);
  return events;
}

function* deltas(choice: OutputChoice): Generator<ChatCompletionDelta> {
  yield { role: 'assistant', content: choice.content === null ? null : '', refusal: null };
  for (const token of splitTokens(choice.reasoning ?? '')) yield { reasoning_content: token };
  for (const part of choice.chunks ?? splitTokens(choice.content ?? '')) yield { content: part };
  for (const [index, call] of choice.toolCalls.entries()) {
    const { id, type } = call;
    const { name, arguments: json } = call.function;
    yield { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] };
    for (const token of splitTokens(json)) {
      yield { tool_calls: [{ index, function: { arguments: token } }] };
    }
  }
  if (choice.images.length > 0) yield { images: choice.images.map(toImagePart) };
}

function toImagePart(
  url: string,
  index: number,
): { type: 'image_url'; image_url: { url: string }; index: number } {
  return { type: 'image_url', image_url: { url }, index };
}

function toUsage(output: ChatOutput): ChatUsage {
  return {
    prompt_tokens: output.promptTokens,
    completion_tokens: output.completionTokens,
    total_tokens: output.promptTokens + output.completionTokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: output.reasoningTokens },
  };
}
