import { endpoints as known } from '../../../../src/wire/endpoints/index.ts';
import type { ApiCall } from '../../state/api-call.ts';

interface Endpoint {
  path: string;
  /** The method of the client. */
  method: string;
  /** What the method resolves to. */
  result: 'stream' | 'task' | 'voice' | 'material';
}

/** The endpoint of each kind of call. */
export const endpoints: Readonly<Record<ApiCall['kind'], Endpoint>> = {
  chat: { path: known.chat.create.path, method: 'chat.completions.stream', result: 'stream' },
  image: { path: known.images.tasks.path, method: 'images.submit', result: 'task' },
  video: { path: known.videos.videos.path, method: 'videos.submit', result: 'task' },
  speech: { path: known.audio.tasks.path, method: 'audio.speech.submit', result: 'task' },
  music: { path: known.audio.tasks.path, method: 'audio.music.submit', result: 'task' },
  'voice-clone': { path: known.voices.clone.path, method: 'voices.clone', result: 'voice' },
  'voice-design': { path: known.voices.design.path, method: 'voices.design', result: 'voice' },
  material: { path: known.materials.create.path, method: 'materials.create', result: 'material' },
};
