import { requestJson } from '../core/call/endpoint.ts';
import type { Endpoint } from '../core/call/endpoint.ts';
import { readIterable } from '../core/call/list.ts';
import type { RequestPromise } from '../core/call/request-promise.ts';
import { readWithSchema } from '../core/call/api-call.ts';
import type { ResponseReader, ResultSchema } from '../core/call/api-call.ts';
import type { RequestOptions } from '../core/call/request-options.ts';
import type { ClientContext } from '../core/call/context.ts';
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
  readonly #context: ClientContext;

  /** @internal */
  constructor(context: ClientContext) {
    this.#context = context;
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
        return this.#list(anthropicModelListSchema, options, anthropicStyle);
      case 'gemini':
        return this.#list(geminiModelListSchema, options, geminiStyle);
      default:
        return this.#list(
          this.#noting(readIterable(modelListSchema), ({ data }) => data),
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
    const read = this.#noting(readWithSchema(modelSchema), (found) => [found]);
    return requestJson(this.#context, '/v1/models/{model}', read, options, { values: { model } });
  }

  /** Takes note of prices on their way to the caller: a budget can then count with them. */
  #noting<Result>(
    read: ResponseReader<Result>,
    models: (result: Result) => readonly Model[],
  ): ResponseReader<Result> {
    return async (body, meta) => {
      const result = await read(body, meta);
      if (result.issues !== undefined) return result;
      for (const { id, pricing } of models(result.value)) {
        this.#context.shared.prices.set(id, pricing);
      }
      return result;
    };
  }

  #list<List>(
    result: ResultSchema<List> | ResponseReader<List>,
    options: RequestOptions,
    style?: Endpoint,
  ): RequestPromise<List> {
    return requestJson(this.#context, '/v1/models', result, options, style);
  }
}

/** The headers that ask for another service's list; the key goes into that service's own header. A17. */
const anthropicStyle: Endpoint = {
  apiKeyHeader: 'x-api-key',
  headers: { 'anthropic-version': '2023-06-01' },
};
const geminiStyle: Endpoint = { apiKeyHeader: 'x-goog-api-key' };
