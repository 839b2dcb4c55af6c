import { chatBody } from '../../wire/schemas/chat/params.ts';
import type { Model } from '../../wire/types/catalog/models.ts';
import { fingerprint, generationKey, remember } from '../account/idempotency.ts';
import { formatUsd } from '../account/money.ts';
import { generateOutput } from '../chat/generate.ts';
import { chatCompletionRecord } from '../chat/record-schemas.ts';
import { parseChatRequest } from '../chat/request.ts';
import type { ChatRequest } from '../chat/request.ts';
import { completionId, toCompletion, toStreamEvents } from '../chat/response.ts';
import type { GeneratedCompletion } from '../chat/response.ts';
import { defineJsonEndpoint } from '../http/endpoint.ts';
import type { RequestContext } from '../http/request-context.ts';
import { idempotencyConflict } from '../http/response/gateway-error.ts';
import { events, json } from '../http/response/response.ts';
import { chatPrice } from '../models/prices.ts';
import { hash } from '../random.ts';

/** Specification: Chat. */
export const chatRoutes = [
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
];

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
