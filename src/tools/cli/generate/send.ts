import type { Polygate, SubmittedTask } from 'polygate';

import type { GenerationRequest } from '../state/task-entry.ts';

/** Submits a request under a key: the same body each time, so that a repetition is a replay. */
export function send(
  gateway: Polygate,
  { kind, model, prompt: given, params }: GenerationRequest,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<SubmittedTask> {
  const prompt = given ?? '';
  // An undefined field of the body is not sent.
  const extraBody = given === undefined ? { prompt: given, text: given, ...params } : params;
  const options = { extraBody, idempotencyKey, signal };
  switch (kind) {
    case 'image':
      return gateway.images.submit({ model, prompt }, options);
    case 'video':
      return gateway.videos.submit({ model, prompt }, options);
    case 'music':
      return gateway.audio.music.submit({ model, prompt }, options);
    case 'speech':
      return gateway.audio.speech.submit({ model, text: prompt }, options);
  }
}
