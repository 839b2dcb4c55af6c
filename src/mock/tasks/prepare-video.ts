import type { VideoBody } from '../../wire/schemas/media/videos.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import type { RequestContext } from '../http/request-context.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';
import { checkVideoMedia } from '../materials/video-media.ts';
import { resolutionPrice } from '../models/prices.ts';
import { numberBetween, integerBetween } from './field-checks.ts';
import type { PricedGeneration } from './submit.ts';

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
