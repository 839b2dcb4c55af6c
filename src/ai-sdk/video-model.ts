import type {
  Experimental_VideoModelV4 as VideoModelV4,
  Experimental_VideoModelV4CallOptions as VideoModelV4CallOptions,
  Experimental_VideoModelV4File as VideoModelV4File,
  Experimental_VideoModelV4OperationStartResult as StartResult,
  Experimental_VideoModelV4OperationStatusResult as StatusResult,
  SharedV4Warning,
} from '@ai-sdk/provider';

import type { Polygate } from '../client.ts';
import { unchecked } from '../schemas/schema.ts';
import type { VideoParams } from '../schemas/videos.ts';
import { metadataOf, readCallOptions, responseOf, unsupported } from './call.ts';
import { urlOf } from './media.ts';

type StatusOptions = Parameters<NonNullable<VideoModelV4['doStatus']>>[0];

/** A video model. The operation of a video is the receipt of its task, so any process can continue it. */
export class PolygateVideoModel implements VideoModelV4 {
  readonly specificationVersion = 'v4';
  readonly provider = 'polygate.video';
  readonly maxVideosPerCall = 1;
  readonly modelId: string;
  readonly #client: Polygate;

  constructor(modelId: string, client: Polygate) {
    this.modelId = modelId;
    this.#client = client;
  }

  async doStart(call: VideoModelV4CallOptions & { webhookUrl?: string }): Promise<StartResult> {
    const { prompt, aspectRatio: aspect_ratio, resolution, duration, seed, fps, webhookUrl } = call;
    const { generateAudio: generate_audio } = call;
    const { options, params } = readCallOptions(call);
    const { media, warnings } = mediaOf(call);
    const extra = { seed, generate_audio };
    const hasExtra = seed !== undefined || generate_audio !== undefined;
    const body = {
      prompt,
      aspect_ratio,
      size: resolution && sizeOf(resolution),
      duration,
      ...media,
      ...(hasExtra && { extra_body: extra }),
      ...params,
    };
    // The service checks params that only `providerOptions` can contain.
    const given = unchecked<VideoParams>({ ...body, model: this.modelId });
    const task = await this.#client.videos.submit(given, options);
    return {
      operation: { ...task.toJSON() },
      warnings: [...unsupported({ fps, webhookUrl }), ...warnings],
      providerMetadata: { polygate: metadataOf(task.meta, task) },
      response: responseOf(this.modelId, task.meta),
    };
  }

  async doStatus({ operation, abortSignal, headers }: StatusOptions): Promise<StatusResult> {
    const { options } = readCallOptions({ headers, abortSignal });
    const task = this.#client.resume<unknown>(operation);
    const { data, meta } = await task.retrieve(options).withResponse();
    const common = {
      providerMetadata: { polygate: metadataOf(meta, task) },
      response: responseOf(this.modelId, meta),
    };
    if (data.status === 'failed') {
      return { ...common, status: 'error', error: data.error?.message ?? 'The task failed.' };
    }
    if (data.status !== 'succeeded') return { ...common, status: 'pending' };
    const videos = data.urls.map((url) => ({
      type: 'url' as const,
      url,
      mediaType: mediaTypeOf(url),
    }));
    return { ...common, status: 'completed', videos, warnings: [] };
  }
}

/** The media of a request: frames, reference images, and one source video. */
function mediaOf({ image, frameImages = [], inputReferences = [] }: VideoModelV4CallOptions) {
  const warnings: SharedV4Warning[] = [];
  const media: Pick<VideoParams, 'image' | 'last_image' | 'images' | 'video'> = {};
  if (image) media.image = urlOf(image, 'image');
  for (const { image: frame, frameType } of frameImages) {
    const url = urlOf(frame, 'frameImages');
    if (frameType === 'last_frame') media.last_image = url;
    else media.image = url;
  }
  for (const reference of inputReferences) {
    const url = urlOf(reference, 'inputReferences');
    if (!isVideo(reference)) (media.images ??= []).push(url);
    else if (media.video === undefined) media.video = url;
    else warnings.push({ type: 'unsupported', feature: 'inputReferences: more than one video' });
  }
  return { media, warnings };
}

function isVideo(file: VideoModelV4File): boolean {
  return file.mediaType?.startsWith('video/') ?? false;
}

/** A resolution in pixels as the service names it, by the shorter side: `1280x720` is `720p`. */
function sizeOf(resolution: string): string {
  return `${Math.min(...resolution.split('x').map(Number))}p`;
}

function mediaTypeOf(url: string): string {
  const [, extension = ''] = /\.(webm|mov)$/i.exec(URL.parse(url)?.pathname ?? '') ?? [];
  return { webm: 'video/webm', mov: 'video/quicktime' }[extension.toLowerCase()] ?? 'video/mp4';
}
