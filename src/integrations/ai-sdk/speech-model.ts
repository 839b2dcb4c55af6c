import type {
  SpeechModelV4,
  SpeechModelV4CallOptions,
  SpeechModelV4Result,
} from '@ai-sdk/provider';

import type { Polygate } from '../../client.ts';
import type { SpeechParams } from '../../wire/types/media/audio.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { metadataOf, readCallOptions, responseOf, unsupported } from './call.ts';
import { downloadFile } from './media.ts';

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
