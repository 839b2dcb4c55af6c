export * from './errors/index.ts';

export { ChatClient } from './chat-client.ts';
export { ChatStream } from './core/chat/chat-stream.ts';
export { extractImages } from './core/chat/extract-images.ts';
export { Stream } from './core/stream/stream.ts';

export type * from './index.ts';
