import type { VideoParams } from '../../schemas/videos.ts';
import { isRecord } from '../../schemas/record.ts';
import { checkVideoMedia } from '../materials/video-media.ts';
import type { RequestContext } from '../http/request-context.ts';
import { numberBetween, wholeNumber } from './fields.ts';
import { resolutionPrice } from '../models/prices.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';
import type { Job } from './submit.ts';

/** How long a film is that nobody gave a length, seconds. */
const usualSeconds = 5;

/** The longest film, seconds. */
const mostSeconds = 3600;

/** Checks and prices a request for a video. Specification: Video generation. */
export function videoJob(call: RequestContext, body: VideoParams): Job {
  const model = call.services.catalogue.getOfType(body.model, 'video');
  checkVideoMedia(call, { ...body });
  const prompt = body.prompt ?? contentText(body);
  if (prompt === '' && !hasSource(body)) throw invalidParameter('`prompt` is required');
  const duration = wholeNumber(body.duration, 'duration', 1, mostSeconds);
  const input = body.extra_body?.input_video_seconds;
  const inputSeconds = numberBetween(input, 'extra_body.input_video_seconds', 0.1, mostSeconds);
  const seconds = duration ?? inputSeconds ?? usualSeconds;
  const field = body.resolution === undefined ? 'size' : 'resolution';
  const priceUsd = resolutionPrice(model, body[field], seconds, `\`${field}\` must be one of`);
  return { model, prompt, count: 1, priceUsd };
}

function contentText(body: VideoParams): string {
  const texts = (body.content ?? []).map((item) =>
    isRecord(item) && typeof item.text === 'string' ? item.text : '',
  );
  return texts.filter((text) => text !== '').join(' ');
}

function hasSource(body: VideoParams): boolean {
  const lists = [body.images, body.content];
  return [body.image, body.last_image, body.video, ...lists].some(
    (value) => (value?.length ?? 0) > 0,
  );
}
