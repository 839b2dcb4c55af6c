import { chatBody } from '../../wire/schemas/bodies.ts';
import type { Model } from '../../wire/types/catalog/models.ts';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionDelta,
  ChatUsage,
} from '../../wire/types/chat/completion.ts';
import { fingerprint, generationKey, remember } from '../account/idempotency.ts';
import { formatUsd, chatPrice } from '../account/money.ts';
import { generateOutput, splitTokens } from '../chat/generate.ts';
import type {
  ChatOutput,
  CompletionBase,
  GeneratedCompletion,
  OutputChoice,
} from '../chat/generate.ts';
import { parseChatRequest } from '../chat/request.ts';
import type { ChatRequest } from '../chat/request.ts';
import { chatCompletionRecord } from '../chat/schemas.ts';
import { defineJsonEndpoint, documented } from '../http/endpoint.ts';
import type { RequestContext } from '../http/endpoint.ts';
import {
  idempotencyConflict,
  events,
  json,
  dataEvent,
  doneEvent,
  keepAliveComment,
} from '../http/response.ts';
import { chatDocs } from '../openapi/tags/chat.ts';
import { hash } from '../random.ts';

/** Specification: Chat. */
export const chatRoutes = documented(chatDocs, [
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'Create a chat completion',
    usesSlot: true,
    body: chatBody,
    responseSchema: chatCompletionRecord,
    errors: [400, 401, 402, 403, 409, 413, 429, 500, 503],
    handle: (context, body) => {
      const request = parseChatRequest({ ...body });
      const { completion, headers } = complete(context, request);
      const { base, output } = completion;
      if (!request.stream) return json(200, toCompletion(base, output), headers);
      return events(toStreamEvents(base, output, request.includeUsage), headers);
    },
  }),
]);

/** Finds the chat model, or the image model if the request selects image output. */
function modelFor(context: RequestContext, request: ChatRequest): Model {
  const model = context.services.catalog.find(request.model);
  if (request.wantsImages && model?.type === 'image') return model;
  return context.services.catalog.getOfType(request.model, 'chat');
}

/**
 * Generates and charges a completion, and returns it with the headers that report the charge. A repeated idempotency
 * key is charged again unless A11 is `replay`.
 */
function complete(
  context: RequestContext,
  request: ChatRequest,
): { completion: GeneratedCompletion; headers: Record<string, string> } {
  const { assumptions, ledger, settings, replies } = context.services;
  const key = generationKey(context);
  const scope = `chat ${key}`;
  const earlier = key === undefined ? undefined : context.user.idempotencyRecords.get(scope);
  if (earlier?.completion !== undefined && assumptions.A11 === 'replay') {
    if (assumptions.A13 === 'conflict' && earlier.fingerprint !== fingerprint(context.body)) {
      throw idempotencyConflict();
    }
    const headers = { ...chargeHeaders(earlier.chargeUsd), 'x-svc-idempotent-replay': 'true' };
    return { completion: earlier.completion, headers };
  }
  const model = modelFor(context, request);
  const output = generateOutput(request, settings, replies.take(request));
  const base = {
    id: completionId(request, settings.seed),
    created: Math.floor(context.now / 1000),
    model: model.id,
    system_fingerprint: `fp_${hash(model.id).toString(16).padStart(8, '0')}`,
  };
  const images = output.choices.flatMap((choice) => choice.images).length;
  const chargeUsd = ledger.charge(context, {
    usd: chatPrice(model, output.promptTokens, output.completionTokens, images),
    model: model.id,
    idempotencyKey: key,
  });
  const completion = { base, output };
  if (key !== undefined) {
    const record = { fingerprint: fingerprint(context.body), resourceId: undefined, chargeUsd };
    remember(context, scope, { ...record, completion });
  }
  return { completion, headers: chargeHeaders(chargeUsd) };
}

function chargeHeaders(chargeUsd: number): Record<string, string> {
  return { 'x-svc-wallet': 'unified', 'x-svc-charge-usd': formatUsd(chargeUsd) };
}

/** Derives the completion id from the request, so that it is the same whether streamed or not. */
function completionId(request: ChatRequest, seed: string): string {
  const text = `${seed} ${request.model} ${request.context} ${request.choices}`;
  const part = (salt: string): string =>
    hash(salt + text)
      .toString(36)
      .padStart(7, '0');
  return `chatcmpl-${part('a')}${part('b')}${part('c')}`;
}

/** Converts the output to a single JSON completion. Assumption A8. */
function toCompletion(base: CompletionBase, output: ChatOutput): ChatCompletion {
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
function toStreamEvents(base: CompletionBase, output: ChatOutput, includeUsage: boolean): string[] {
  const chunkEvent = (choices: ChatCompletionChunk['choices'], usage?: ChatUsage | null): string =>
    dataEvent({
      ...base,
      object: 'chat.completion.chunk',
      choices,
      ...(includeUsage ? { usage: usage ?? null } : {}),
    });
  const frames = [keepAliveComment];
  for (const [index, choice] of output.choices.entries()) {
    for (const delta of deltas(choice)) {
      frames.push(chunkEvent([{ index, delta, logprobs: null, finish_reason: null }]));
    }
    const finish_reason = choice.finishReason;
    frames.push(chunkEvent([{ index, delta: {}, logprobs: null, finish_reason }]));
  }
  if (includeUsage) frames.push(chunkEvent([], toUsage(output)));
  frames.push(doneEvent);
  return frames;
}

function* deltas(choice: OutputChoice): Generator<ChatCompletionDelta> {
  yield { role: 'assistant', content: choice.content === null ? null : '', refusal: null };
  for (const token of splitTokens(choice.reasoning ?? '')) yield { reasoning_content: token };
  for (const part of choice.chunks ?? splitTokens(choice.content ?? '')) yield { content: part };
  for (const [index, call] of choice.toolCalls.entries()) {
    const { id, type } = call;
    const { name, arguments: text } = call.function;
    yield { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] };
    for (const token of splitTokens(text)) {
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
