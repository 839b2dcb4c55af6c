import { callTo } from '../client/call/api-request.ts';
import type { ApiRequest } from '../client/call/api-request.ts';
import type { ClientContext } from '../client/call/context.ts';
import { execute } from '../client/call/execute.ts';
import { bodyParams, checkFields, checkProblem, toJson } from '../client/call/params.ts';
import { checkRequestOptions, withIdempotencyKey } from '../client/call/request-options.ts';
import type { CheckedOptions, RequestOptions } from '../client/call/request-options.ts';
import type { RequestPromise } from '../client/call/request.ts';
import { requestJson, startRequest, withoutBody } from '../client/call/request.ts';
import { readExtended } from '../client/call/response.ts';
import { throwToCaller, captureContext } from '../client/config/caller.ts';
import type { Config } from '../client/config/config.ts';
import { notify } from '../client/config/log.ts';
import { functionValue } from '../client/config/validation.ts';
import type { Rules } from '../client/config/validation.ts';
import { queryString } from '../client/http/path.ts';
import { materialWait, readMaterial } from '../client/tasks/material.ts';
import type { MaterialUpdate } from '../client/tasks/material.ts';
import { toPollResult } from '../client/tasks/polled-record.ts';
import {
  waitCallbackRules,
  checkAndWait,
  updatesOf,
  waitForResult,
  waits,
} from '../client/tasks/wait.ts';
import { endpoints } from '../wire/endpoints/index.ts';
import {
  materialCreateParamsProblem,
  materialListQueryProblem,
  materialPageSchema,
  materialSchema,
} from '../wire/types/media/materials.ts';
import type {
  MaterialCreateParams,
  MaterialListQuery,
  AvailableMaterial,
  Material,
  MaterialPageRecord,
} from '../wire/types/media/materials.ts';
import type { WaitOptions } from '../wire/types/tasks/task-handle.ts';

/** The verification that a person must complete for a material that shows them. */
export interface Verification {
  /** URL of the liveness verification page. Secret and temporary: pass it to that person and never log it. */
  url: string;
  /** Expiry time of `url` (ISO 8601). */
  expiresAt?: string | undefined;
}

/** One page of materials. `for await` includes the pages that follow. */
export interface MaterialPage extends MaterialPageRecord, AsyncIterable<Material> {
  /** Resolves to the next page, or to null on the last page. */
  nextPage(): Promise<MaterialPage | null>;
}

/** Options of `materials.register`. */
export interface RegisterOptions
  extends RequestOptions, Omit<WaitOptions<MaterialUpdate>, 'signal'> {
  /** Called for a material that shows a real person, who must complete a verification before processing starts. */
  onVerification?: ((verification: Verification) => void) | undefined;
}

/** Registers images, videos and audio for use in video requests, and verifies the people they show. */
export class Materials {
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
   * Creates a material from a public image, video or audio URL. The required idempotency key is generated if you do not
   * pass one.
   *
   * @throws {@link ConfigurationError} if the params violate a rule of the specification.
   * @throws {@link ConflictError} if the key was already used for a different request.
   */
  create(params: MaterialCreateParams, options?: RequestOptions): RequestPromise<Material> {
    return requestJson(
      this.#context,
      (config) => prepareCreate(config, params, options),
      materialSchema,
    );
  }

  /**
   * Retrieves a material.
   *
   * @throws {@link NotFoundError} if the material does not exist, belongs to another user, or has expired.
   */
  retrieve(id: string, options?: RequestOptions): RequestPromise<Material> {
    return requestJson(
      this.#context,
      withoutBody(endpoints.materials.retrieve, options, { values: { material_id: id } }),
      materialSchema,
    );
  }

  /**
   * Deletes a material. The returned status is `deleted` or `delete_pending`. Deleting is idempotent.
   *
   * @throws {@link NotFoundError} if the material does not exist, belongs to another user, or has expired.
   */
  delete(id: string, options?: RequestOptions): RequestPromise<Material> {
    return requestJson(
      this.#context,
      withoutBody(endpoints.materials.delete, options, { values: { material_id: id } }),
      materialSchema,
    );
  }

  /**
   * Lists materials page by page. `for await (const material of await gateway.materials.list())` iterates over all
   * pages. Failed, deleted and expired materials are not listed.
   *
   * @throws {@link ConfigurationError} if `limit` is not an integer from 1 to 100.
   */
  list(query: MaterialListQuery = {}, options?: RequestOptions): RequestPromise<MaterialPage> {
    // Assumption A21.
    const read = readExtended<MaterialPageRecord, MaterialPage>(
      materialPageSchema,
      ({ data, has_more, next_cursor: after }) => {
        const nextPage = async () =>
          has_more && after ? this.list({ ...query, after }, options) : null;
        const iterate = async function* () {
          yield* data;
          for (let page = await nextPage(); page !== null; page = await page.nextPage()) {
            yield* page.data;
          }
        };
        return { nextPage: { value: nextPage }, [Symbol.asyncIterator]: { value: iterate } };
      },
    );
    const checkedQuery = () => {
      checkProblem(materialListQueryProblem(query));
      return queryString(query);
    };
    return requestJson(
      this.#context,
      withoutBody(endpoints.materials.list, options, { query: checkedQuery }),
      read,
    );
  }

  /**
   * Waits until a material is available.
   *
   * @throws {@link MaterialFailedError} if the material fails or is deleted.
   * @throws {@link MaterialWaitTimeoutError} if `waitTimeout` expires; processing continues.
   * @throws {@link AbortedError} if the signal aborts; processing continues.
   */
  async wait(id: string, options: WaitOptions<MaterialUpdate> = {}): Promise<AvailableMaterial> {
    const start = materialWait(this.#context, id);
    return checkAndWait(start, (steps) => steps.materialPolls(start), options).catch(throwToCaller);
  }

  /** Yields an update after each poll, up to and including the terminal one. Does not throw if the material fails. */
  updates(
    id: string,
    options: Omit<WaitOptions<MaterialUpdate>, 'onUpdate'> = {},
  ): AsyncGenerator<MaterialUpdate, void, undefined> {
    const start = materialWait(this.#context, id);
    return updatesOf(start, (steps) => steps.materialPolls(start), options);
  }

  /**
   * Creates a material and waits until it is available. For a material that shows a real person, `onVerification` is
   * called with the URL of the verification page; the person must complete it before processing starts.
   *
   * @throws the same errors as {@link Materials.create} and {@link Materials.wait}.
   *
   * @example
   * ```ts
   * const material = await gateway.materials.register({
   *   url: 'https://files.example/fox.png',
   *   type: 'image',
   * });
   * await gateway.videos.generate({
   *   model: 'tide-video',
   *   content: [{ type: 'image_url', image_url: { url: material.uri }, role: 'reference_image' }],
   * });
   * ```
   */
  register(
    params: MaterialCreateParams,
    options?: RegisterOptions,
  ): RequestPromise<AvailableMaterial> {
    const context = this.#context;
    const prepare = (config: Config) => ({
      ...prepareCreate(config, params, options, registerRules),
      parts: [waits],
      wait: { ...options, headers: undefined, requestId: undefined },
    });
    return startRequest(context, prepare, async ({ wait, ...prepared }) => {
      const enter = captureContext(context.config);
      const created = await execute(context, prepared, readMaterial);
      const { verification_url: url, verification_expires_at: expiresAt, ...data } = created.data;
      if (url) {
        notify(context.config.log, wait.onVerification, { url, expiresAt }, 'onVerification');
      }
      // The verification URL is secret: `data` keeps it out of later updates and errors.
      const known = toPollResult({ ...created, data }, context);
      const start = materialWait(context, data.id);
      const wanted = enter(() =>
        waitForResult(start, (steps) => steps.materialPolls(start, known, prepared.options), wait),
      );
      return { ...created, data: await wanted };
    });
  }
}

/** The rules of the options that `register` accepts in addition to those of `create`. */
const registerRules: Rules = {
  ...waitCallbackRules,
  onVerification: functionValue,
};

function prepareCreate(
  config: Config,
  given: MaterialCreateParams,
  options: RequestOptions | undefined,
  extraRules: Rules = {},
): ApiRequest & { options: CheckedOptions } {
  const params = bodyParams(given, options);
  checkFields(params, materialCreateParamsProblem);
  return {
    ...callTo(endpoints.materials.create, config),
    body: toJson(params),
    options: checkRequestOptions(withIdempotencyKey(options), extraRules),
  };
}
