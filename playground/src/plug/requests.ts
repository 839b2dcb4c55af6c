import type { PlugRequest } from './with-polygate.ts';

/** What can be sent while the plug is pulled. */
export type PlugKind = PlugRequest['kind'];

/** The request of each kind. Both sides send the same one. */
export const plugRequests: Readonly<Record<PlugKind, { path: string; request: PlugRequest }>> = {
  video: {
    path: '/v1/videos',
    request: {
      kind: 'video',
      params: {
        model: 'tide-video',
        prompt: 'Waves roll into a quiet bay',
        resolution: '1080p',
        duration: 10,
      },
    },
  },
  image: {
    path: '/v1/images/tasks',
    request: { kind: 'image', params: { model: 'prism-image', prompt: 'A harbor at dawn' } },
  },
  chat: {
    path: '/v1/chat/completions',
    request: {
      kind: 'chat',
      params: {
        model: 'aurora-chat',
        messages: [{ role: 'user', content: 'Describe a harbor at dawn in a few words' }],
      },
    },
  },
};
