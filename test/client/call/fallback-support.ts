import type { PolygateOptions } from '../../../src/index.ts';
import type { Fault, MockGateway } from '../../../src/mock/index.ts';
import { chat, image, onMock } from '../support.ts';

export const chatModels = { fallback: ['aurora-reasoner', 'lumen/vision-chat'] };
export const imageModels = { fallback: ['prism-sketch'] };
export const chats = 'POST /v1/chat/completions';
export const submits = 'POST /v1/images/tasks';

/** The models that requests have named, in order. */
export const modelsOf = (mock: MockGateway) =>
  mock.requests.flatMap(({ method, body }) =>
    method === 'POST' ? [(body as { model: string }).model] : [],
  );

/** A gateway whose first chat and image models fail. */
export function failing(fault: Fault, options: PolygateOptions = {}) {
  const run = onMock({}, { maxRetries: 0, ...options });
  run.mock.fail({ model: chat.model, ...fault });
  run.mock.fail({ model: image.model, ...fault });
  return run;
}
