import * as shapes from '../../wire/generated/index.ts';
import { chatBody } from '../../wire/schemas/bodies.ts';
import type { Model } from '../../wire/types/catalog/models.ts';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionDelta,
  ChatUsage,
} from '../../wire/types/chat/completion.ts';
import { keyedRequest, rejectConflict } from '../account/idempotency.ts';
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
import { chatCompletionChunkRecord, chatCompletionRecord } from '../chat/schemas.ts';
import { defineJsonEndpoint, documented } from '../http/endpoint.ts';
import type { RequestContext, TagDocs } from '../http/endpoint.ts';
import { events, json, dataEvent, doneEvent, keepAliveComment } from '../http/response.ts';
import { hash } from '../random.ts';

const hello = [{ role: 'user', content: 'Hello' }];

/** Specification: Chat; assumption A8. */
const chatDocs: TagDocs = {
  tag: {
    name: 'Chat',
    description: 'Chat completions, optionally streamed as server-sent events.',
  },
  schemas: {
    ChatCompletionRequest: {
      schema: chatBody,
      description:
        'Chat completion parameters. Other OpenAI-compatible fields, such as `tools`, `response_format`, `temperature` and `max_completion_tokens`, are passed through to the model. A value of the wrong type is rejected with `invalid_request_parameter`; unknown fields are accepted.',
      keywords: shapes.chatParamsKeywords,
      fields: {
        model: { example: 'aurora-chat' },
        messages: { minItems: 1 },
        n: { maximum: 128 },
      },
    },
    ChatCompletion: {
      schema: chatCompletionRecord,
      description: 'A chat completion.',
      example: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1767225600,
        model: 'aurora-chat',
        system_fingerprint: null,
        choices: [
          { index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      },
    },
    ChatCompletionChunk: {
      schema: chatCompletionChunkRecord,
      description:
        'One chunk of a streamed completion. `choices` is empty in the chunk that reports `usage`.',
      example: {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1767225600,
        model: 'aurora-chat',
        system_fingerprint: null,
        choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }],
      },
    },
  },
};

/** Specification: Chat. */
export const chatRoutes = documented(chatDocs, [
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'Create a chat completion',
    id: 'createChatCompletion',
    description:
      'Generates a completion for a conversation. With `stream: true`, the response is `text/event-stream`: the `data` of each event is a `ChatCompletionChunk`, lines that start with a colon are keep-alive comments, and `data: [DONE]` ends the stream. An event can also contain an `Error` object, after which the stream ends early. `x-idempotency-key` does not prevent a second charge for chat. In a stream, the charge header is sent before the output.',
    examples: {
      'Simple message': { model: 'aurora-chat', messages: hello },
      Streaming: {
        model: 'aurora-chat',
        messages: hello,
        stream: true,
        stream_options: { include_usage: true },
      },
      'Image output': {
        model: 'prism-image',
        messages: [{ role: 'user', content: 'A fox in the snow' }],
        extra_body: { image_config: { aspect_ratio: '16:9' } },
      },
    },
    responses: { 200: ['The completion, or a stream of its chunks.'] },
    eventSchemas: ['ChatCompletionChunk', 'Error'],
    errorCodes: {
      400: ['invalid_request_parameter', 'model_not_found', 'invalid_idempotency_key'],
    },
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
  const { key, earlier, leave } = keyedRequest(context, 'chat', context.body);
  if (earlier?.completion !== undefined && assumptions.A11 === 'replay') {
    rejectConflict(context, earlier, context.body);
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
  leave({ resourceId: undefined, chargeUsd, completion });
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
