export * from './errors/index.ts';

export { ChatClient } from './chat-client.ts';
export { ChatStream } from './client/chat/chat-stream.ts';
export { extractImages } from './client/chat/content.ts';
export { Stream } from './client/stream/stream.ts';

export type * from './index.ts';
