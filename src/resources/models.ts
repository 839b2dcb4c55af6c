import { callTo } from '../client/call/api-request.ts';
import type { ClientContext } from '../client/call/context.ts';
import { checkRequestOptions, noBodyRules } from '../client/call/request-options.ts';
import type { RequestOptions } from '../client/call/request-options.ts';
import type { RequestPromise } from '../client/call/request.ts';
import { requestJson, withoutBody } from '../client/call/request.ts';
import { readAndMap, readIterable, readWithSchema } from '../client/call/response.ts';
import type { ResponseReader } from '../client/call/response.ts';
import type { Config } from '../client/config/config.ts';
import { oneOf } from '../client/config/validation.ts';
import { chatEndpoints } from '../wire/endpoints/chat.ts';
import {
  anthropicModelListSchema,
  geminiModelListSchema,
  modelListSchema,
  modelSchema,
} from '../wire/types/catalog/models.ts';
import type {
  AnthropicModelList,
  GeminiModelList,
  Model,
  ModelList,
} from '../wire/types/catalog/models.ts';

/** Query of `models.list`. */
export interface ModelListQuery<
  Style extends 'anthropic' | 'gemini' | undefined = 'anthropic' | 'gemini' | undefined,
> {
  /** Requests the list in the style of another API. */
  style?: Style | undefined;
}

/** Lists the models that the API key can use, with their prices. */
export class Models {
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
   * Lists the available models: `for (const model of await gateway.models.list())`. With `style`, the service returns
   * an Anthropic-style or Gemini-style list.
   *
   * @throws {@link AuthenticationError} if the API key is missing or invalid; {@link PermissionDeniedError} if it is
   * disabled or not allowed to use this endpoint.
   *
   * @example
   * ```ts
   * for (const model of await gateway.models.list()) console.log(model.type, model.id);
   * ```
   */
  list<Style extends 'anthropic' | 'gemini' | undefined = undefined>(
    query?: ModelListQuery<Style>,
    options?: RequestOptions,
  ): RequestPromise<
    Style extends 'anthropic'
      ? AnthropicModelList
      : Style extends 'gemini'
        ? GeminiModelList
        : ModelList
  >;
  list(
    query: ModelListQuery = {},
    callOptions?: RequestOptions & ModelListQuery,
  ): RequestPromise<ModelList | AnthropicModelList | GeminiModelList> {
    let read: ResponseReader<ModelList | AnthropicModelList | GeminiModelList> =
      this.#recordPrices<ModelList>(readIterable(modelListSchema), ({ data }) => data);
    const prepare = (config: Config) => {
      // JavaScript callers may put options into the query. Ignoring them would be worse than accepting them.
      const options = { ...query, ...callOptions };
      const style = options.style && styles[options.style];
      if (style) read = readWithSchema<AnthropicModelList | GeminiModelList>(style.schema);
      return {
        ...callTo(chatEndpoints.models.list, config),
        ...style,
        options: checkRequestOptions(options, optionRules, noBodyRules),
      };
    };
    return requestJson(this.#context, prepare, (...received) => read(...received));
  }

  /**
   * Retrieves a model with its prices. The id may contain slashes.
   *
   * @throws {@link NotFoundError} if the model does not exist.
   *
   * @example
   * ```ts
   * const model = await gateway.models.retrieve('prism-image');
   * console.log(model.pricing.text);
   * ```
   */
  retrieve(model: string, options?: RequestOptions): RequestPromise<Model> {
    const read = this.#recordPrices(readWithSchema(modelSchema), (found) => [found]);
    return requestJson(
      this.#context,
      withoutBody(chatEndpoints.models.retrieve, options, { values: { model } }),
      read,
    );
  }

  /** Records the prices from a response, so that a budget can reserve the price of later requests. */
  #recordPrices<Result>(
    read: ResponseReader<Result>,
    models: (result: Result) => readonly Model[],
  ): ResponseReader<Result> {
    return readAndMap(read, (result) => {
      for (const { id, pricing } of models(result)) this.#context.shared.prices.set(id, pricing);
      return result;
    });
  }
}

/** How a list in the style of another API is selected: the API key is sent in that API's header as well. */
const styles = {
  anthropic: {
    schema: anthropicModelListSchema,
    apiKeyHeader: 'x-api-key',
    headers: { 'anthropic-version': '2023-06-01' },
  },
  gemini: { schema: geminiModelListSchema, apiKeyHeader: 'x-goog-api-key' },
};

const optionRules = { style: /* @__PURE__ */ oneOf(...Object.keys(styles)) };
