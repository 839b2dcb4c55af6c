// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
export * from './catalog/account.ts';
export * from './catalog/errors.ts';
export * from './catalog/models.ts';
export * from './catalog/pricing.ts';
export * from './catalog/public.ts';
export * from './chat/completion.ts';
export * from './chat/messages.ts';
export * from './chat/params.ts';
export * from './media/audio.ts';
export * from './media/images.ts';
export * from './media/materials.ts';
export * from './media/videos.ts';
export * from './media/voices.ts';
export * from './tasks/task.ts';
