import type { ImageParams, MusicParams, SpeechParams, Task, VideoParams } from 'polygate';

import { gateway } from './client.ts';

/** A request for a task, with the params of its endpoint. */
export type GenerationRequest =
  | { kind: 'image'; params: ImageParams }
  | { kind: 'video'; params: VideoParams }
  | { kind: 'speech'; params: SpeechParams }
  | { kind: 'music'; params: MusicParams };

/** Submits a request. Submitting it again with the same key is not charged again. */
export async function submit(request: GenerationRequest, idempotencyKey: string): Promise<Task> {
  switch (request.kind) {
    case 'image':
      return gateway.images.submit(request.params, { idempotencyKey });
    case 'video':
      return gateway.videos.submit(request.params, { idempotencyKey });
    case 'speech':
      return gateway.audio.speech.submit(request.params, { idempotencyKey });
    case 'music':
      return gateway.audio.music.submit(request.params, { idempotencyKey });
  }
}

/** The prompt, or the text of a speech request. */
export function promptOf(request: GenerationRequest): string {
  if (request.kind === 'speech') return request.params.text;
  return request.params.prompt;
}
