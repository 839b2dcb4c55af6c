export * from './chat/completion.ts';
export * from './chat/messages.ts';
export * from './chat/params.ts';
