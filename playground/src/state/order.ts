import type { ImageParams, MusicParams, SpeechTextParams, Task, VideoParams } from 'polygate';

import { gateway } from './client.ts';

/** What can be ordered: each with the params of its endpoint. */
export type Order =
  | { kind: 'image'; params: ImageParams }
  | { kind: 'video'; params: VideoParams }
  | { kind: 'speech'; params: SpeechTextParams }
  | { kind: 'music'; params: MusicParams };

/** Submits an order. The same key never pays twice, however often it is submitted. */
export async function submit(order: Order, idempotencyKey: string): Promise<Task> {
  switch (order.kind) {
    case 'image':
      return gateway.images.submit(order.params, { idempotencyKey });
    case 'video':
      return gateway.videos.submit(order.params, { idempotencyKey });
    case 'speech':
      return gateway.audio.speech.submit(order.params, { idempotencyKey });
    case 'music':
      return gateway.audio.music.submit(order.params, { idempotencyKey });
  }
}

/** The words of an order. */
export function wordsOf(order: Order): string {
  if (order.kind === 'speech') return order.params.text;
  return order.params.prompt ?? 'Without words';
}
