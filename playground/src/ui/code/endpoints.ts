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
  chat: { path: '/v1/chat/completions', method: 'chat.completions.stream', result: 'stream' },
  image: { path: '/v1/images/tasks', method: 'images.submit', result: 'task' },
  video: { path: '/v1/videos', method: 'videos.submit', result: 'task' },
  speech: { path: '/v1/audio/tasks', method: 'audio.speech.submit', result: 'task' },
  music: { path: '/v1/audio/tasks', method: 'audio.music.submit', result: 'task' },
  'voice-clone': { path: '/v1/audio/voices/clone', method: 'voices.clone', result: 'voice' },
  'voice-design': { path: '/v1/audio/voices/design', method: 'voices.design', result: 'voice' },
  material: { path: '/v1/materials', method: 'materials.create', result: 'material' },
};
