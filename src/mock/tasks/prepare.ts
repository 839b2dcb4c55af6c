import * as z from 'zod/mini';

import { musicBody, speechBody } from '../../wire/schemas/bodies.ts';
import type { SpeechBody, ImageBody, VideoBody } from '../../wire/schemas/bodies.ts';
import type { Model } from '../../wire/types/catalog/models.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { resolutionPrice, musicPrice, speechPrice } from '../account/money.ts';
import type { RequestContext } from '../http/endpoint.ts';
import { invalidParameter, GatewayError } from '../http/response.ts';
import {
  checkSourceUrl,
  integerBetween,
  numberBetween,
  parseBody,
  requiredText,
} from '../http/validate.ts';
import { statusOf } from '../materials/store.ts';
import { checkVoice } from '../voices.ts';
import type { PricedGeneration } from './submit.ts';

/** Maximum number of images per task. */
const maxImages = 100;

/** Validates and prices an image generation. Specification: Image generation. */
export function prepareImage(context: RequestContext, body: ImageBody): PricedGeneration {
  const model = context.services.catalog.getOfType(body.model, 'image');
  const sources = [body.image, ...(body.reference_image_urls ?? [])];
  if (body.image !== undefined) checkSourceUrl(body.image, 'image');
  for (const [index, url] of (body.reference_image_urls ?? []).entries()) {
    checkSourceUrl(url, `reference_image_urls[${index}]`);
  }
  const hasImage = sources.some((url) => url !== undefined);
  if ((body.prompt ?? '') === '' && !hasImage) throw invalidParameter('`prompt` is required');
  if (body.task_type === 'image2image' && !hasImage) {
    throw invalidParameter('`image` or `reference_image_urls` is required for image2image');
  }
  const n = integerBetween(body.n, 'n', 1, maxImages);
  const count = integerBetween(body.num_images, 'num_images', 1, maxImages) ?? n ?? 1;
  const size = resolutionOf(body.size);
  const priceUsd =
    body.resolution === undefined
      ? resolutionPrice(model, size, count, '`size` must match one of the resolutions')
      : resolutionPrice(model, body.resolution, count, '`resolution` must be one of');
  return { model, prompt: body.prompt ?? '', count, priceUsd };
}

/** Returns the resolution of a size in pixels, by its longer side. */
function resolutionOf(size: string | undefined): string | undefined {
  if (size === undefined) return undefined;
  const [, width = '', height = ''] = /^(\d{1,5})x(\d{1,5})$/.exec(size) ?? [];
  const longer = Math.max(Number(width), Number(height));
  if (Math.min(Number(width), Number(height)) < 1 || longer > 8192) {
    throw invalidParameter('`size` must be <width>x<height> in pixels, at most 8192 each');
  }
  if (longer <= 1024) return '1K';
  return longer <= 2048 ? '2K' : '4K';
}

/** The body of music and speech: the field that it always has, because the model determines the others, and all of them. */
export const audioBodies = {
  body: z.looseObject({ model: z.string() }),
  documentedBody: z.union([musicBody, speechBody]),
};

/** Audio file formats for speech. The specification gives two of them as examples. */
const formats = ['mp3', 'wav', 'flac', 'pcm', 'aac', 'opus'];

/** Validates and prices a music or speech generation. Specification: Audio. */
export function prepareAudio(
  context: RequestContext,
  body: z.infer<typeof audioBodies.body>,
): PricedGeneration {
  const { catalog } = context.services;
  const model = catalog.getOfType(body.model, 'audio');
  return catalog.isSpeechModel(model)
    ? prepareSpeech(context, model, body)
    : prepareMusic(model, body);
}

function prepareMusic(model: Model, body: unknown): PricedGeneration {
  const { prompt } = parseBody(musicBody, body);
  return {
    model,
    prompt: requiredText(prompt, 'prompt'),
    count: 1,
    priceUsd: musicPrice(model, 1),
  };
}

function prepareSpeech(context: RequestContext, model: Model, body: unknown): PricedGeneration {
  const fields = parseBody(speechBody, body);
  const text = fields.text || fields.input || '';
  if (text === '') throw invalidParameter('`text` or `input` is required');
  numberBetween(fields.speed, 'speed', 0.5, 2);
  if (fields.format !== undefined && !formats.includes(fields.format.toLowerCase())) {
    throw invalidParameter(`\`format\` must be one of ${formats.join(', ')}`);
  }
  checkVoices(context, model, fields);
  return { model, prompt: text, count: 1, priceUsd: speechPrice(model, text) };
}

/**
 * Requires a voice in one of three fields. `voice` may contain any name, for compatibility with other
 * services.
 */
function checkVoices(context: RequestContext, model: Model, fields: SpeechBody): void {
  const weights = fields.timber_weights ?? [];
  if (!fields.voice_id && !fields.voice && weights.length === 0) {
    throw invalidParameter('`voice_id` is required, unless `voice` or `timber_weights` is given');
  }
  if (fields.voice_id) checkVoice(context, fields.voice_id, model, 'voice_id');
  for (const [index, { voice_id: id }] of weights.entries()) {
    if (id !== undefined) checkVoice(context, id, model, `timber_weights[${index}].voice_id`);
  }
}

/** Default duration of a video in seconds. */
const defaultSeconds = 5;

/** Maximum duration of a video in seconds. */
const maxSeconds = 3600;

/** Validates and prices a video generation. Specification: Video generation. */
export function prepareVideo(context: RequestContext, body: VideoBody): PricedGeneration {
  const model = context.services.catalog.getOfType(body.model, 'video');
  checkVideoMedia(context, { ...body });
  const prompt = body.prompt ?? contentText(body);
  if (prompt === '' && !hasSource(body)) throw invalidParameter('`prompt` is required');
  const duration = integerBetween(body.duration, 'duration', 1, maxSeconds);
  const input = body.extra_body?.input_video_seconds;
  const inputSeconds = numberBetween(input, 'extra_body.input_video_seconds', 0.1, maxSeconds);
  const seconds = duration ?? inputSeconds ?? defaultSeconds;
  const field = body.resolution === undefined ? 'size' : 'resolution';
  const priceUsd = resolutionPrice(model, body[field], seconds, `\`${field}\` must be one of`);
  return { model, prompt, count: 1, priceUsd };
}

function contentText(body: VideoBody): string {
  const texts = (body.content ?? []).map((item) =>
    isRecord(item) && typeof item.text === 'string' ? item.text : '',
  );
  return texts.filter((text) => text !== '').join(' ');
}

function hasSource(body: VideoBody): boolean {
  const lists = [body.images, body.content];
  return [body.image, body.last_image, body.video, ...lists].some(
    (value) => (value?.length ?? 0) > 0,
  );
}

/** The request fields that contain media URLs, with the media type of each. */
const mediaFields = new Map([
  ['image', 'image'],
  ['last_image', 'image'],
  ['images', 'image'],
  ['video', 'video'],
]);

/** The parts of a content item that contain a media URL, with the media type of each. */
const mediaParts = { image_url: 'image', video_url: 'video', audio_url: 'audio' } as const;

/**
 * Checks every media URL of a video request, and rejects `asset://` URIs in text fields. In a
 * generation request, material errors have status 400. Specification: Video generation; Codes.
 */
function checkVideoMedia(context: RequestContext, body: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(body)) {
    if (field === 'content' && Array.isArray(value)) {
      value.forEach((item: unknown, index) => {
        checkItem(context, item, `content[${index}]`);
      });
    } else if (mediaFields.has(field)) {
      checkUrls(context, value, field, mediaFields.get(field));
    } else {
      rejectAssetUris(value, field);
    }
  }
}

function checkUrls(
  context: RequestContext,
  value: unknown,
  field: string,
  type: string | undefined,
): void {
  if (typeof value === 'string') checkUrl(context, value, field, type);
  if (!Array.isArray(value)) return;
  value.forEach((url: unknown, index) => {
    checkUrls(context, url, `${field}[${index}]`, type);
  });
}

function checkItem(context: RequestContext, item: unknown, field: string): void {
  if (!isRecord(item)) return;
  for (const [name, type] of Object.entries(mediaParts)) {
    if (item.type !== name && item[name] === undefined) continue;
    const part = item[name];
    const url = isRecord(part) ? part.url : undefined;
    if (typeof url !== 'string') throw invalidParameter(`\`${field}.${name}.url\` is required`);
    checkUrl(context, url, `${field}.${name}.url`, type);
  }
  if (item.type === 'text' && typeof item.text !== 'string') {
    throw invalidParameter(`\`${field}.text\` is required`);
  }
  for (const [name, value] of Object.entries(item)) {
    if (!Object.hasOwn(mediaParts, name)) rejectAssetUris(value, `${field}.${name}`);
  }
}

function checkUrl(
  context: RequestContext,
  url: string,
  field: string,
  type: string | undefined,
): void {
  if (!/^asset:\/\//i.test(url)) {
    checkSourceUrl(url, field);
    return;
  }
  const material = context.services.materials.byUri(context.user, url);
  if (material === undefined) {
    throw new GatewayError(
      400,
      'material_not_managed',
      `\`${field}\` refers to a material that is not in your library`,
    );
  }
  if (statusOf(material, context.now) !== 'available') {
    throw new GatewayError(
      400,
      'material_not_available',
      `\`${field}\` refers to a material that is not available`,
    );
  }
  if (type !== undefined && type !== material.type) {
    throw invalidParameter(
      `\`${field}\` requires a material of type ${type}; this one is of type ${material.type}`,
    );
  }
}

/** Rejects a material URI in any string inside a value. */
function rejectAssetUris(value: unknown, field: string): void {
  if (typeof value === 'string' && /asset:\/\//i.test(value)) {
    throw invalidParameter(`\`${field}\` must not contain an asset:// URI`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) rejectAssetUris(inner, `${field}.${name}`);
}
