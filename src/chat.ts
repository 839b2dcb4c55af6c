export * from './errors/index.ts';

export { ChatClient } from './chat-client.ts';
export { ChatStream } from './core/chat-stream.ts';
export { extractImages } from './core/extract-images.ts';
export { Stream } from './core/stream.ts';

export type * from './index.ts';
