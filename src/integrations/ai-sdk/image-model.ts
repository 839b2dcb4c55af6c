import type {
  ImageModelV4,
  ImageModelV4CallOptions,
  ImageModelV4File,
  ImageModelV4Result,
  SpeechModelV4,
  SpeechModelV4CallOptions,
  SpeechModelV4Result,
} from '@ai-sdk/provider';

import type { Polygate } from '../../client.ts';
import type { SpeechParams } from '../../wire/types/media/audio.ts';
import type { ImageParams } from '../../wire/types/media/images.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { metadataOf, readCallOptions, responseOf, unsupported } from './call.ts';
import { downloadFile, urlOf } from './media.ts';

/** An image model: one call is one task and one charge. */
export class PolygateImageModel implements ImageModelV4 {
  readonly specificationVersion = 'v4';
  readonly provider = 'polygate.image';
  readonly maxImagesPerCall = 10;
  readonly modelId: string;
  readonly #client: Polygate;

  constructor(modelId: string, client: Polygate) {
    this.modelId = modelId;
    this.#client = client;
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  async doGenerate(call: ImageModelV4CallOptions): Promise<ImageModelV4Result> {
    const { prompt, n, size, aspectRatio: aspect_ratio, seed, files, mask, abortSignal } = call;
    const { options, params } = readCallOptions(call);
    const body = { prompt, n, size, aspect_ratio, ...sourcesOf(files) };
    // The service checks params that only `providerOptions` can contain.
    const given = unchecked<ImageParams>({ model: this.modelId, ...body, ...params });
    const task = await this.#client.images.submit(given, options);
    const { urls } = await task.wait(abortSignal && { signal: abortSignal });
    const downloads = await Promise.all(
      urls.map((_, index) => downloadFile(this.#client, task, index, abortSignal)),
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
export class PolygateSpeechModel implements SpeechModelV4 {
  readonly specificationVersion = 'v4';
  readonly provider = 'polygate.speech';
  readonly modelId: string;
  readonly #client: Polygate;

  constructor(modelId: string, client: Polygate) {
    this.modelId = modelId;
    this.#client = client;
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

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
    const task = await this.#client.audio.speech.submit(given, options);
    await task.wait(abortSignal && { signal: abortSignal });
    const { bytes, contentType, warnings } = await downloadFile(this.#client, task, 0, abortSignal);
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
