import { callTo } from '../client/call/api-request.ts';
import type { ClientContext } from '../client/call/context.ts';
import { bodyParams, checkFields, toJson } from '../client/call/params.ts';
import type { FindProblem } from '../client/call/params.ts';
import { checkRequestOptions, withIdempotencyKey } from '../client/call/request-options.ts';
import type { RequestOptions } from '../client/call/request-options.ts';
import type { RequestPromise } from '../client/call/request.ts';
import { requestJson, withoutBody } from '../client/call/request.ts';
import { readIterable } from '../client/call/response.ts';
import type { Config } from '../client/config/config.ts';
import { queryString } from '../client/http/path.ts';
import { requestPrice } from '../client/limits/prices.ts';
import { endpoints } from '../wire/endpoints/index.ts';
import {
  voiceCloneParamsProblem,
  voiceDesignParamsProblem,
  voiceCreationSchema,
  voiceListSchema,
} from '../wire/types/media/voices.ts';
import type {
  VoiceCloneParams,
  VoiceDesignInput,
  VoiceCreation,
  VoiceList,
  VoiceListQuery,
} from '../wire/types/media/voices.ts';

/** Lists, clones and designs voices for speech: system voices and your private voices. */
export class Voices {
  readonly #context: ClientContext;

  /** @internal */
  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  /**
   * Lists the voices available to the caller, optionally only those compatible with one speech model:
   * `for (const voice of await gateway.voices.list())`. Not billed.
   *
   * @example
   * ```ts
   * for (const voice of await gateway.voices.list({ model: 'echo-speech' })) {
   *   console.log(voice.voice_id, voice.language);
   * }
   * ```
   */
  list(query: VoiceListQuery = {}, options?: RequestOptions): RequestPromise<VoiceList> {
    return requestJson(
      this.#context,
      withoutBody(endpoints.voices.list, options, { query: () => queryString(query) }),
      readIterable(voiceListSchema),
    );
  }

  /**
   * Clones a voice from a recording. The new voice is private. The request is charged immediately. It is not retried
   * after a failure with an unknown outcome, because the service does not guarantee idempotent replay.
   *
   * @throws {@link ConfigurationError} if `audio_url` is missing.
   * @throws {@link APIError} if the service rejects the request; {@link ConnectionError} with `outcome` if no complete
   * response was received.
   *
   * @example
   * ```ts
   * const { voice_id } = await gateway.voices.clone({
   *   audio_url: 'https://files.example/ann.mp3',
   *   text: 'Land in sight',
   *   display_name: 'Ann',
   * });
   * ```
   */
  clone(params: VoiceCloneParams, options?: RequestOptions): RequestPromise<VoiceCreation> {
    return this.#create(endpoints.voices.clone, params, options, voiceCloneParamsProblem);
  }

  /**
   * Designs a voice from a description. The new voice is private. Charged and retried under the same rules as
   * {@link Voices.clone}.
   *
   * @throws {@link ConfigurationError} if `prompt` or `preview_text` is missing.
   * @throws {@link APIError} if the service rejects the request; {@link ConnectionError} with `outcome` if no complete
   * response was received.
   *
   * @example
   * ```ts
   * const { voice_id, preview_audio_url } = await gateway.voices.design({
   *   prompt: 'An old sailor',
   *   preview_text: 'Land in sight',
   * });
   * ```
   */
  design(params: VoiceDesignInput, options?: RequestOptions): RequestPromise<VoiceCreation> {
    return this.#create(endpoints.voices.design, params, options, voiceDesignParamsProblem);
  }

  #create(
    endpoint: typeof endpoints.voices.clone | typeof endpoints.voices.design,
    params: VoiceCloneParams | VoiceDesignInput,
    options: RequestOptions | undefined,
    findProblem: FindProblem,
  ): RequestPromise<VoiceCreation> {
    const prepare = (config: Config) => {
      const body = bodyParams(params, options);
      checkFields(body, findProblem);
      return {
        ...callTo(endpoint, config),
        body: toJson(body),
        estimateUsd: requestPrice[endpoint.price](body),
        options: checkRequestOptions(withIdempotencyKey(options)),
      };
    };
    return requestJson(this.#context, prepare, voiceCreationSchema);
  }
}
