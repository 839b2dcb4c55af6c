import { callEndpoint } from '../core/endpoint.ts';
import { iterable } from '../core/iterable.ts';
import { fillPath } from '../core/path.ts';
import type { RequestPromise } from '../core/request-promise.ts';
import { matching } from '../core/request.ts';
import type { Call, Read, RequestOptions } from '../core/request.ts';
import type { Sender } from '../core/send.ts';
import {
  anthropicModelListSchema,
  geminiModelListSchema,
  modelListSchema,
  modelSchema,
} from '../schemas/models.ts';
import type { AnthropicModelList, GeminiModelList, Model, ModelList } from '../schemas/models.ts';

/** Options of `models.list`: the style of the list, and those of every call. */
export interface ModelListOptions extends RequestOptions {
  /** Another service's list style. */
  style?: 'anthropic' | 'gemini' | undefined;
}

/** The models that the key can use. Specification: Account and catalog. */
export class Models {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Lists the models: `for (const model of await gateway.models.list())`. With a `style` the service answers as
   * Anthropic or Gemini does. Specification: GET /models; assumption A17.
   *
   * @throws {@link AuthenticationError} without a valid key; {@link PermissionDeniedError} with a disabled one.
   */
  list(
    query: RequestOptions & { style: 'anthropic' },
    options?: RequestOptions,
  ): RequestPromise<AnthropicModelList>;
  list(
    query: RequestOptions & { style: 'gemini' },
    options?: RequestOptions,
  ): RequestPromise<GeminiModelList>;
  list(
    query?: RequestOptions & { style?: undefined },
    options?: RequestOptions,
  ): RequestPromise<ModelList>;
  list(
    query: ModelListOptions,
    options?: RequestOptions,
  ): RequestPromise<ModelList | AnthropicModelList | GeminiModelList>;
  list(
    query: ModelListOptions = {},
    last?: RequestOptions,
  ): RequestPromise<ModelList | AnthropicModelList | GeminiModelList> {
    const options = { ...query, ...last };
    switch (query.style) {
      case 'anthropic':
        return this.#get(matching(anthropicModelListSchema), anthropicStyle, options);
      case 'gemini':
        return this.#get(matching(geminiModelListSchema), geminiStyle, options);
      default:
        return this.#get(
          this.#noting(iterable(modelListSchema), ({ data }) => data),
          {},
          options,
        );
    }
  }

  /**
   * One model with its prices; ids with slashes work. Specification: GET /models/\{model\}.
   *
   * @throws {@link NotFoundError} when there is no such model.
   */
  retrieve(model: string, options?: RequestOptions): RequestPromise<Model> {
    const template = '/v1/models/{model}';
    const describe = (): Call => ({
      method: 'GET',
      template,
      path: fillPath(template, { model }),
      safety: 'safe',
    });
    const read = this.#noting(matching(modelSchema), (found) => [found]);
    return callEndpoint(this.#sender, describe, read, options);
  }

  /** Takes note of prices on their way to the caller: a budget can then count with them. */
  #noting<Result>(read: Read<Result>, models: (result: Result) => readonly Model[]): Read<Result> {
    return async (body, meta) => {
      const result = await read(body, meta);
      if (result.issues !== undefined) return result;
      for (const { id, pricing } of models(result.value)) {
        this.#sender.shared.prices.set(id, pricing);
      }
      return result;
    };
  }

  #get<List>(
    read: Read<List>,
    style: Partial<Call>,
    options?: RequestOptions,
  ): RequestPromise<List> {
    const describe = (): Call => ({
      method: 'GET',
      template: '/v1/models',
      safety: 'safe',
      ...style,
    });
    return callEndpoint(this.#sender, describe, read, options);
  }
}

/** The headers that ask for another service's list; the key goes into that service's own header. A17. */
const anthropicStyle: Partial<Call> = {
  keyName: 'x-api-key',
  headers: { 'anthropic-version': '2023-06-01' },
};
const geminiStyle: Partial<Call> = { keyName: 'x-goog-api-key' };
