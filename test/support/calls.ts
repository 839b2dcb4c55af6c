import type { Polygate, RequestOptions } from '../../src/index.ts';

/** How safe it is to send a request again: see the table in docs/payment-safety.md. */
export type Safety = 'safe' | 'keyed' | 'once';

/** A documented endpoint as the client calls it. It does not follow the table of endpoints, of which it is a check. */
export interface Documented {
  /** Method and path as documented in the specification. */
  readonly route: string;
  /** Method and path as sent. */
  readonly sent: string;
  readonly safety: Safety;
  readonly call: (gateway: Polygate, options?: RequestOptions) => Promise<unknown>;
}

const chat = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: 'Hello' }] };
const image = { model: 'prism-image', prompt: 'A harbor' };
const video = { model: 'tide-video', prompt: 'A harbor' };
const music = { model: 'anthem-music', prompt: 'A shanty' };
const clone = { audio_url: 'https://files.example/ann.mp3', text: 'Ahoy' };
const design = { prompt: 'An old sailor', preview_text: 'Ahoy' };
const material = { url: 'https://files.example/a.png', type: 'image' as const };

const withSafety =
  (safety: Safety) =>
  (route: string, call: Documented['call'], sent = route): Documented => ({
    route,
    sent,
    safety,
    call,
  });
/** Can always be sent again. */
const safe = withSafety('safe');
/** Can be sent again with the same key. */
const keyed = withSafety('keyed');
/** Is charged each time. */
const once = withSafety('once');

/** Endpoints that need no credentials. */
export const publicCalls: readonly Documented[] = [
  safe('GET /v1/status', ({ public: open }, options) => open.status({}, options)),
  safe('GET /v1/capabilities', ({ public: open }, options) => open.capabilities(options)),
  safe('GET /v1/errors', ({ public: open }, options) => open.errors(options)),
  safe(
    'GET /v1/errors/{code}',
    ({ public: open }, options) => open.error('api_key_required', options),
    'GET /v1/errors/api_key_required',
  ),
  safe('GET /v1/changelog', ({ public: open }, options) => open.changelog(options)),
  safe('GET /v1/pricing', ({ public: open }, options) => open.pricing({}, options)),
  safe('GET /v1/rate-limits', ({ public: open }, options) => open.rateLimits(options)),
  safe('GET /v1/openapi.json', ({ public: open }, options) => open.openapi(options)),
];

/** Endpoints that need an API key. */
export const authenticatedCalls: readonly Documented[] = [
  safe('GET /v1/account', ({ account }, options) => account.retrieve(options)),
  safe('GET /v1/readiness', ({ account }, options) => account.readiness(options)),
  safe('GET /v1/models', ({ models }, options) => models.list({}, options)),
  safe(
    'GET /v1/models/{model}',
    ({ models }, options) => models.retrieve('aurora-chat', options),
    'GET /v1/models/aurora-chat',
  ),
  safe('GET /api/usage/balance', ({ account }, options) => account.balance(options)),
  once('POST /v1/chat/completions', (gateway, options) =>
    gateway.chat.completions.create(chat, options),
  ),
  keyed('POST /v1/images/generations', ({ images }, options) =>
    images.submit(image, { ...options, route: 'generations' }),
  ),
  keyed('POST /v1/images/tasks', ({ images }, options) => images.submit(image, options)),
  safe(
    'GET /v1/images/tasks/{taskId}',
    ({ images }, options) => images.retrieve('task_1', options),
    'GET /v1/images/tasks/task_1',
  ),
  keyed('POST /v1/videos', ({ videos }, options) => videos.submit(video, options)),
  keyed('POST /v1/video/generations', ({ videos }, options) =>
    videos.submit(video, { ...options, route: 'video/generations' }),
  ),
  keyed('POST /v1/videos/generations', ({ videos }, options) =>
    videos.submit(video, { ...options, route: 'videos/generations' }),
  ),
  keyed('POST /v1/audio/tasks', ({ audio }, options) => audio.music.submit(music, options)),
  safe(
    'GET /v1/audio/tasks/{task_id}',
    ({ audio }, options) => audio.retrieve('task_1', options),
    'GET /v1/audio/tasks/task_1',
  ),
  safe('GET /v1/audio/voices', ({ voices }, options) => voices.list({}, options)),
  once('POST /v1/audio/voices/clone', ({ voices }, options) => voices.clone(clone, options)),
  once('POST /v1/audio/voices/design', ({ voices }, options) => voices.design(design, options)),
  keyed('POST /v1/materials', ({ materials }, options) => materials.create(material, options)),
  safe(
    'GET /v1/materials/{material_id}',
    ({ materials }, options) => materials.retrieve('mat_1', options),
    'GET /v1/materials/mat_1',
  ),
  safe('GET /v1/materials', ({ materials }, options) => materials.list({}, options)),
  safe(
    'DELETE /v1/materials/{material_id}',
    ({ materials }, options) => materials.delete('mat_1', options),
    'DELETE /v1/materials/mat_1',
  ),
];

/** Every documented endpoint. */
export const allCalls = [...publicCalls, ...authenticatedCalls];
