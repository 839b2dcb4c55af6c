export * from './media/audio.ts';
export * from './media/images.ts';
export * from './media/materials.ts';
export * from './media/videos.ts';
export * from './media/voices.ts';
