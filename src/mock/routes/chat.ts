import { chatParamsSchema } from '../../schemas/chat-params.ts';
import type { Model } from '../../schemas/models.ts';
import { events, json } from '../http/response/response.ts';
import type { RequestContext } from '../http/request-context.ts';
import { completion, completionEvents } from '../chat/response.ts';
import { chatCompletionRecord } from '../chat/record-schemas.ts';
import { completionId, replyTo } from '../chat/generate.ts';
import type { Reply } from '../chat/generate.ts';
import { readChat } from '../chat/request.ts';
import type { ChatRequest } from '../chat/request.ts';
import { writes } from '../http/endpoint.ts';
import { fingerprint, generationKey, remember } from '../account/idempotency.ts';
import { dollars } from '../account/money.ts';
import { chatPrice } from '../models/prices.ts';
import { hash } from '../random.ts';
import { GatewayError } from '../http/response/gateway-error.ts';

/** Specification: Chat. */
export const chatRoutes = [
  writes({
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'Answers a conversation, at once or as a stream of events',
    slot: true,
    streams: true,
    body: chatParamsSchema,
    reply: chatCompletionRecord,
    errors: [400, 401, 402, 403, 409, 413, 429, 500, 503],
    handle: (call, body) => {
      const request = readChat(body);
      const model = modelFor(call, request);
      const { seed } = call.services.settings;
      const reply = replyTo(request, seed);
      const headers = pay(call, model, reply);
      const head = {
        id: completionId(request, seed),
        created: Math.floor(call.now / 1000),
        model: model.id,
        system_fingerprint: `fp_${hash(model.id).toString(16).padStart(8, '0')}`,
      };
      if (!request.stream) return json(200, completion(head, reply), headers);
      return events(completionEvents(head, reply, request.includeUsage), headers);
    },
  }),
];

/** A chat model; an image model as well, where a chat asks for pictures. */
function modelFor(call: RequestContext, request: ChatRequest): Model {
  const named = call.services.catalogue.find(request.model);
  const draws = request.draws && named?.type === 'image';
  return draws ? named : call.services.catalogue.use(request.model, 'chat');
}

/**
 * Charges an answer, unless its key has paid for it and the switch says that this counts.
 * Assumption A11.
 */
function pay(call: RequestContext, model: Model, reply: Reply): Record<string, string> {
  const key = generationKey(call);
  const earlier = call.user.submits.get(`chat ${key}`);
  const wallet = { 'x-svc-wallet': 'unified' };
  if (earlier !== undefined && call.services.assumptions.A11 === 'replay') {
    if (earlier.fingerprint !== fingerprint(call.body)) {
      const message = 'This idempotency key was used for another request';
      throw new GatewayError(409, 'idempotency_conflict', message);
    }
    const charge = dollars(earlier.chargeUsd);
    return { ...wallet, 'x-svc-charge-usd': charge, 'x-svc-idempotent-replay': 'true' };
  }
  const images = reply.choices.flatMap((choice) => choice.images).length;
  const chargeUsd = call.services.ledger.charge(call, {
    usd: chatPrice(model, reply.promptTokens, reply.completionTokens, images),
    model: model.id,
    idempotencyKey: key,
  });
  if (key !== undefined) {
    const paid = { fingerprint: fingerprint(call.body), taskId: undefined, chargeUsd };
    remember(call, `chat ${key}`, paid);
  }
  return { ...wallet, 'x-svc-charge-usd': dollars(chargeUsd) };
}
