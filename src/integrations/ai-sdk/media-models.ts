import type {
  ImageModelV4,
  ImageModelV4CallOptions,
  ImageModelV4File,
  ImageModelV4Result,
  SpeechModelV4,
  SpeechModelV4CallOptions,
  SpeechModelV4Result,
  Experimental_VideoModelV4 as VideoModelV4,
  Experimental_VideoModelV4CallOptions as VideoModelV4CallOptions,
  Experimental_VideoModelV4File as VideoModelV4File,
  Experimental_VideoModelV4OperationStartResult as StartResult,
  Experimental_VideoModelV4OperationStatusResult as StatusResult,
  SharedV4Warning,
} from '@ai-sdk/provider';

import { APIError } from '../../errors/responses.ts';
import type { SpeechParams } from '../../wire/types/media/audio.ts';
import type { ImageParams } from '../../wire/types/media/images.ts';
import type { VideoParams } from '../../wire/types/media/videos.ts';
import { unchecked, omitUndefined } from '../../wire/types/schema.ts';
import type { Receipt } from '../../wire/types/tasks/task.ts';
import { parseURL, isRecord } from '../../wire/types/type-guards.ts';
import {
  metadataOf,
  readCallOptions,
  responseOf,
  unsupported,
  downloadFile,
  urlOf,
  ProviderModel,
} from './call.ts';

/** An image model: one call is one task and one charge. */
export class PolygateImageModel extends ProviderModel implements ImageModelV4 {
  readonly provider = 'polygate.image';
  readonly maxImagesPerCall = 10;

  async doGenerate(call: ImageModelV4CallOptions): Promise<ImageModelV4Result> {
    const { prompt, n, size, aspectRatio: aspect_ratio, seed, files, mask, abortSignal } = call;
    const { options, params } = readCallOptions(call);
    const body = { prompt, n, size, aspect_ratio, ...sourcesOf(files) };
    // The service checks params that only `providerOptions` can contain.
    const given = unchecked<ImageParams>({ model: this.modelId, ...body, ...params });
    const task = await this.client.images.submit(given, options);
    const { urls } = await task.wait(abortSignal && { signal: abortSignal });
    const downloads = await Promise.all(
      urls.map((_, index) => downloadFile(this.client, task, index, abortSignal)),
    );
    const images = downloads.map(({ bytes }) => bytes);
    return {
      images,
      // An empty result was charged, too.
      isRetryable: false,
      warnings: [...unsupported({ seed, mask }), ...downloads.flatMap(({ warnings }) => warnings)],
      providerMetadata: {
        polygate: {
          images: images.map((_, index) => (index === 0 ? metadataOf(task.meta, task) : {})),
        },
      },
      response: responseOf(task.model, task.meta),
    };
  }
}

/** One file is the source image, several are references. */
function sourcesOf(files: readonly ImageModelV4File[] = []) {
  const urls = files.map((file) => urlOf(file, 'files'));
  if (urls.length > 1) return { reference_image_urls: urls };
  return urls.length > 0 ? { image: urls[0] } : {};
}

/** A speech model. */
export class PolygateSpeechModel extends ProviderModel implements SpeechModelV4 {
  readonly provider = 'polygate.speech';

  async doGenerate(call: SpeechModelV4CallOptions): Promise<SpeechModelV4Result> {
    const {
      text,
      voice: voice_id,
      speed,
      outputFormat,
      instructions,
      language,
      abortSignal,
    } = call;
    const { options, params } = readCallOptions(call);
    const body = { text, voice_id, speed };
    // The service checks params that only `providerOptions` can contain.
    const given = unchecked<SpeechParams>({ model: this.modelId, ...body, ...params });
    const task = await this.client.audio.speech.submit(given, options);
    await task.wait(abortSignal && { signal: abortSignal });
    const { bytes, contentType, warnings } = await downloadFile(this.client, task, 0, abortSignal);
    const response = responseOf(task.model, task.meta);
    return {
      audio: bytes,
      warnings: [...unsupported({ outputFormat, instructions, language }), ...warnings],
      providerMetadata: { polygate: metadataOf(task.meta, task) },
      // Raw audio has no signature, so the AI SDK reads its media type from this header.
      response: {
        ...response,
        headers: { ...response.headers, ...(contentType && { 'content-type': contentType }) },
      },
    };
  }
}

/** A video model. The operation of a video is the receipt of its task, so any process can continue it. */
export class PolygateVideoModel extends ProviderModel implements VideoModelV4 {
  readonly provider = 'polygate.video';
  readonly maxVideosPerCall = 1;

  async doStart(call: VideoModelV4CallOptions & { webhookUrl?: string }): Promise<StartResult> {
    const { prompt, aspectRatio: aspect_ratio, resolution, duration, fps, webhookUrl } = call;
    const { options, params } = readCallOptions(call);
    const { media, warnings } = mediaOf(call);
    const body = { prompt, aspect_ratio, size: resolution && sizeOf(resolution), duration };
    // The service checks params that only `providerOptions` can contain.
    const given = unchecked<VideoParams>({
      model: this.modelId,
      ...body,
      ...media,
      ...params,
      ...extraOf(call, params.extra_body),
    });
    const task = await this.client.videos.submit(given, options);
    // One task generates one video. A caller can raise `maxVideosPerCall`.
    const n = call.n > 1 ? call.n : undefined;
    return {
      operation: { ...task.toJSON() },
      warnings: [...unsupported({ n, fps, webhookUrl }), ...warnings],
      providerMetadata: { polygate: metadataOf(task.meta, task) },
      response: responseOf(task.model, task.meta),
    };
  }

  async doStatus({
    operation,
    abortSignal,
    headers,
  }: Parameters<NonNullable<VideoModelV4['doStatus']>>[0]): Promise<StatusResult> {
    const { options } = readCallOptions({ headers, abortSignal });
    const { signal, headers: pollHeaders } = options;
    const task = this.client.videos.task(unchecked<Receipt<'video'>>(operation));
    const { id, idempotencyKey, chargeUsd } = task;
    const common = {
      // Merged into that of the start, whose request id is the one that was charged.
      providerMetadata: { polygate: omitUndefined({ chargeUsd, taskId: id, idempotencyKey }) },
      response: responseOf(task.model ?? this.modelId, undefined),
    };
    for await (const update of task.updates({ signal, headers: pollHeaders })) {
      const { status, urls, error, pollError } = update;
      // The third 404 ends the updates with its error.
      if (APIError.is(pollError) && pollError.status === 404) continue;
      if (pollError) {
        // After an error, the AI SDK would abandon a video that is paid for and still processing.
        const message = `The status is unknown, because a poll failed: ${pollError.message}`;
        return { ...common, status: 'pending', warnings: [{ type: 'other', message }] };
      }
      if (status === 'failed') return { ...common, status: 'error', error: error.message };
      if (status !== 'succeeded') break;
      const videos = urls.map((url) => ({
        type: 'url' as const,
        url,
        mediaType: mediaTypeOf(url),
      }));
      return { ...common, status: 'completed', videos, warnings: [] };
    }
    return { ...common, status: 'pending' };
  }
}

/** The settings that the service takes in `extra_body`, together with those of `providerOptions`. */
function extraOf({ seed, generateAudio }: VideoModelV4CallOptions, given: unknown) {
  const extra = omitUndefined({ seed, generate_audio: generateAudio });
  if (Object.keys(extra).length === 0) return {};
  return { extra_body: { ...extra, ...(isRecord(given) && given) } };
}

/** The media of a request: frames, reference images, and one source video. */
function mediaOf({ image, frameImages = [], inputReferences = [] }: VideoModelV4CallOptions) {
  const warnings: SharedV4Warning[] = [];
  const media: Pick<VideoParams, 'image' | 'last_image' | 'video'> = {};
  const images: string[] = [];
  if (image) media.image = urlOf(image, 'image');
  for (const { image: frame, frameType } of frameImages) {
    const url = urlOf(frame, 'frameImages');
    if (frameType === 'last_frame') media.last_image = url;
    else media.image = url;
  }
  for (const reference of inputReferences) {
    const url = urlOf(reference, 'inputReferences');
    if (!isVideo(reference, url)) images.push(url);
    else if (media.video === undefined) media.video = url;
    else warnings.push({ type: 'unsupported', feature: 'inputReferences: more than one video' });
  }
  return { media: { ...media, ...(images.length > 0 && { images }) }, warnings };
}

/** Without a media type, the AI SDK passes on the URL alone. */
function isVideo({ mediaType }: VideoModelV4File, url: string): boolean {
  return mediaType?.startsWith('video/') ?? videoExtension(url) !== undefined;
}

/** A resolution in pixels as the service names it, by the shorter side: `1280x720` is `720p`. */
function sizeOf(resolution: string): string {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(resolution) ?? [];
  return width && height ? `${Math.min(Number(width), Number(height))}p` : resolution;
}

function mediaTypeOf(url: string): string {
  const types: Readonly<Record<string, string>> = { webm: 'video/webm', mov: 'video/quicktime' };
  return types[videoExtension(url) ?? ''] ?? 'video/mp4';
}

/** The extension of a link to a video, in lower case. */
function videoExtension(url: string): string | undefined {
  return /\.(mp4|webm|mov)$/.exec(parseURL(url)?.pathname.toLowerCase() ?? '')?.[1];
}
