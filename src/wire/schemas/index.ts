export { accountRecord, keyBalanceRecord, readinessRecord } from './catalog/account.ts';
export { modelRecord } from './catalog/models.ts';
export { chatCompletion, chatCompletionChunk } from './chat/completion.ts';
export { chatParams } from './chat/params.ts';
export { musicParams, speechParams } from './media/audio.ts';
export { imageParams } from './media/images.ts';
export { materialParams, materialRecord } from './media/materials.ts';
export { videoParams } from './media/videos.ts';
export { voiceCloneParams, voiceDesignParams, voiceRecord } from './media/voices.ts';
export {
  generation,
  receipt,
  audioTaskRecord,
  imageTaskRecord,
  videoTaskRecord,
} from './tasks/task.ts';
