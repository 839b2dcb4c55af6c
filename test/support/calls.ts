import type { Polygate } from '../../src/index.ts';

/** A documented endpoint as the client calls it. */
export interface Documented {
  /** Method and path as documented in the specification. */
  readonly route: string;
  /** Method and path as sent. */
  readonly sent: string;
  readonly call: (gateway: Polygate) => Promise<unknown>;
}

const chat = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: 'Hello' }] };
const image = { model: 'prism-image', prompt: 'A harbor' };
const video = { model: 'tide-video', prompt: 'A harbor' };
const music = { model: 'anthem-music', prompt: 'A shanty' };
const clone = { audio_url: 'https://files.example/ann.mp3', text: 'Ahoy' };
const design = { prompt: 'An old sailor', preview_text: 'Ahoy' };
const material = { url: 'https://files.example/a.png', type: 'image' as const };

const endpoint = (route: string, sent: string, call: Documented['call']): Documented => ({
  route,
  sent,
  call,
});
const same = (route: string, call: Documented['call']) => endpoint(route, route, call);

/** Endpoints that need no credentials. */
export const publicCalls: readonly Documented[] = [
  same('GET /v1/status', (gateway) => gateway.public.status()),
  same('GET /v1/capabilities', (gateway) => gateway.public.capabilities()),
  same('GET /v1/errors', (gateway) => gateway.public.errors()),
  endpoint('GET /v1/errors/{code}', 'GET /v1/errors/api_key_required', (gateway) =>
    gateway.public.error('api_key_required'),
  ),
  same('GET /v1/changelog', (gateway) => gateway.public.changelog()),
  same('GET /v1/pricing', (gateway) => gateway.public.pricing()),
  same('GET /v1/rate-limits', (gateway) => gateway.public.rateLimits()),
  same('GET /v1/openapi.json', (gateway) => gateway.public.openapi()),
];

/** Endpoints that need an API key. */
export const authenticatedCalls: readonly Documented[] = [
  same('GET /v1/account', (gateway) => gateway.account.retrieve()),
  same('GET /v1/readiness', (gateway) => gateway.account.readiness()),
  same('GET /v1/models', (gateway) => gateway.models.list()),
  endpoint('GET /v1/models/{model}', 'GET /v1/models/aurora-chat', (gateway) =>
    gateway.models.retrieve('aurora-chat'),
  ),
  same('GET /api/usage/balance', (gateway) => gateway.account.balance()),
  same('POST /v1/chat/completions', (gateway) => gateway.chat.completions.create(chat)),
  same('POST /v1/images/generations', (gateway) =>
    gateway.images.submit(image, { route: 'generations' }),
  ),
  same('POST /v1/images/tasks', (gateway) => gateway.images.submit(image)),
  endpoint('GET /v1/images/tasks/{taskId}', 'GET /v1/images/tasks/task_1', (gateway) =>
    gateway.images.retrieve('task_1'),
  ),
  same('POST /v1/videos', (gateway) => gateway.videos.submit(video)),
  same('POST /v1/video/generations', (gateway) =>
    gateway.videos.submit(video, { route: 'video/generations' }),
  ),
  same('POST /v1/videos/generations', (gateway) =>
    gateway.videos.submit(video, { route: 'videos/generations' }),
  ),
  same('POST /v1/audio/tasks', (gateway) => gateway.audio.music.submit(music)),
  endpoint('GET /v1/audio/tasks/{task_id}', 'GET /v1/audio/tasks/task_1', (gateway) =>
    gateway.audio.retrieve('task_1'),
  ),
  same('GET /v1/audio/voices', (gateway) => gateway.voices.list()),
  same('POST /v1/audio/voices/clone', (gateway) => gateway.voices.clone(clone)),
  same('POST /v1/audio/voices/design', (gateway) => gateway.voices.design(design)),
  same('POST /v1/materials', (gateway) => gateway.materials.create(material)),
  endpoint('GET /v1/materials/{material_id}', 'GET /v1/materials/mat_1', (gateway) =>
    gateway.materials.retrieve('mat_1'),
  ),
  same('GET /v1/materials', (gateway) => gateway.materials.list()),
  endpoint('DELETE /v1/materials/{material_id}', 'DELETE /v1/materials/mat_1', (gateway) =>
    gateway.materials.delete('mat_1'),
  ),
];

/** Every documented endpoint. */
export const allCalls = [...publicCalls, ...authenticatedCalls];
