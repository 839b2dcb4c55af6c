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
import { GatewayError } from '../http/response/gateway-error.ts';
import { events, json } from '../http/response/response.ts';
import { chatPrice } from '../models/prices.ts';
import { hash } from '../random.ts';

/** Specification: Chat. */
export const chatRoutes = [
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'Create a chat completion',
    slot: true,
    streams: true,
    body: chatBody,
    responseSchema: chatCompletionRecord,
    errors: [400, 401, 402, 403, 409, 413, 429, 500, 503],
    handle: (call, body) => {
      const request = parseChatRequest(body);
      const model = modelFor(call, request);
      const { seed } = call.services.settings;
      const output = generateOutput(request, seed);
      const headers = charge(call, model, output);
      const header = {
        id: completionId(request, seed),
        created: Math.floor(call.now / 1000),
        model: model.id,
        system_fingerprint: `fp_${hash(model.id).toString(16).padStart(8, '0')}`,
      };
      if (!request.stream) return json(200, toCompletion(header, output), headers);
      return events(toStreamEvents(header, output, request.includeUsage), headers);
    },
  }),
];

/** A chat model, or an image model if the request asks for image output. */
function modelFor(call: RequestContext, request: ChatRequest): Model {
  const model = call.services.catalog.find(request.model);
  if (request.wantsImages && model?.type === 'image') return model;
  return call.services.catalog.getOfType(request.model, 'chat');
}

/**
 * Charges the completion and returns the headers that report it. A repeated idempotency key is
 * charged again unless A11 is set to `replay`. Assumption A11.
 */
function charge(call: RequestContext, model: Model, output: ChatOutput): Record<string, string> {
  const key = generationKey(call);
  const earlier = call.user.idempotencyRecords.get(`chat ${key}`);
  const wallet = { 'x-svc-wallet': 'unified' };
  if (earlier !== undefined && call.services.assumptions.A11 === 'replay') {
    if (earlier.fingerprint !== fingerprint(call.body)) {
      const message = 'This idempotency key was already used for a different request';
      throw new GatewayError(409, 'idempotency_conflict', message);
    }
    return {
      ...wallet,
      'x-svc-charge-usd': formatUsd(earlier.chargeUsd),
      'x-svc-idempotent-replay': 'true',
    };
  }
  const images = output.choices.flatMap((choice) => choice.images).length;
  const chargeUsd = call.services.ledger.charge(call, {
    usd: chatPrice(model, output.promptTokens, output.completionTokens, images),
    model: model.id,
    idempotencyKey: key,
  });
  if (key !== undefined) {
    const record = { fingerprint: fingerprint(call.body), taskId: undefined, chargeUsd };
    remember(call, `chat ${key}`, record);
  }
  return { ...wallet, 'x-svc-charge-usd': formatUsd(chargeUsd) };
}
