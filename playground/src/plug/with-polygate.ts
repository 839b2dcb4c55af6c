import { Polygate } from 'polygate';
import type { ChatParams, ImageParams, PolygateOptions, VideoParams } from 'polygate';

/** Sends a request. polygate decides whether it is safe to send it again. */
export async function send(options: PolygateOptions, request: PlugRequest) {
  const gateway = new Polygate(options);
  switch (request.kind) {
    case 'video':
      return gateway.videos.submit(request.params);
    case 'image':
      return gateway.images.submit(request.params);
    case 'chat':
      return gateway.chat.completions.create(request.params);
  }
}

export type PlugRequest =
  | { kind: 'video'; params: VideoParams }
  | { kind: 'image'; params: ImageParams }
  | { kind: 'chat'; params: ChatParams };
