import { chatBody } from '../../schemas/chat-params.ts';
import type { Model } from '../../schemas/models.ts';
import { fingerprint, generationKey, remember } from '../account/idempotency.ts';
import { formatUsd } from '../account/money.ts';
import { generateOutput } from '../chat/generate.ts';
import type { ChatOutput } from '../chat/generate.ts';
import { chatCompletionRecord } from '../chat/record-schemas.ts';
import { parseChatRequest } from '../chat/request.ts';
import type { ChatRequest } from '../chat/request.ts';
import { completionId, toCompletion, toStreamEvents } from '../chat/response.ts';
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
      const model = modelFor(context, request);
      const { seed } = context.services.settings;
      const output = generateOutput(request, seed);
      const headers = charge(context, model, output);
      const base = {
        id: completionId(request, seed),
        created: Math.floor(context.now / 1000),
        model: model.id,
        system_fingerprint: `fp_${hash(model.id).toString(16).padStart(8, '0')}`,
      };
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
 * Charges the completion and returns the headers that report it. A repeated idempotency key is
 * charged again unless A11 is `replay`.
 */
function charge(context: RequestContext, model: Model, output: ChatOutput): Record<string, string> {
  const key = generationKey(context);
  const earlier = context.user.idempotencyRecords.get(`chat ${key}`);
  const wallet = { 'x-svc-wallet': 'unified' };
  if (earlier !== undefined && context.services.assumptions.A11 === 'replay') {
    if (earlier.fingerprint !== fingerprint(context.body)) {
      throw idempotencyConflict();
    }
    return {
      ...wallet,
      'x-svc-charge-usd': formatUsd(earlier.chargeUsd),
      'x-svc-idempotent-replay': 'true',
    };
  }
  const images = output.choices.flatMap((choice) => choice.images).length;
  const chargeUsd = context.services.ledger.charge(context, {
    usd: chatPrice(model, output.promptTokens, output.completionTokens, images),
    model: model.id,
    idempotencyKey: key,
  });
  if (key !== undefined) {
    const record = { fingerprint: fingerprint(context.body), resourceId: undefined, chargeUsd };
    remember(context, `chat ${key}`, record);
  }
  return { ...wallet, 'x-svc-charge-usd': formatUsd(chargeUsd) };
}
