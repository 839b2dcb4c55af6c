import { requestJson, executeJson } from '../core/call/endpoint.ts';
import {
  followMaterial,
  materialPollTiming,
  waitForMaterial,
} from '../core/tasks/material-wait.ts';
import type { MaterialUpdate, MaterialWait } from '../core/tasks/material-wait.ts';
import { readMaterialPage } from '../core/tasks/material-page.ts';
import type { MaterialPage } from '../core/tasks/material-page.ts';
import { checkProblem } from '../core/call/params.ts';
import { fillPath } from '../core/http/path.ts';
import { resolvePollTiming } from '../core/tasks/poll.ts';
import type { RequestPromise } from '../core/call/request-promise.ts';
import { withIdempotencyKey, readWithSchema } from '../core/call/api-call.ts';
import type { ApiCall, RequestOptions } from '../core/call/api-call.ts';
import { readJson } from '../core/call/response.ts';
import type { Sender } from '../core/call/sender.ts';
import {
  materialCreateParamsProblem,
  materialListQueryProblem,
} from '../schemas/material-params.ts';
import type { MaterialCreateParams, MaterialListQuery } from '../schemas/material-params.ts';
import { materialSchema } from '../schemas/materials.ts';
import type { AvailableMaterial, Material } from '../schemas/materials.ts';
import type { WaitOptions } from '../schemas/task-handle.ts';

/** What a person must do before a real-person material is made. */
export interface Verification {
  /** The page on which the person proves to be live. Secret and temporary: show it, never log it. */
  url: string;
  /** Until when, ISO 8601. */
  expiresAt?: string | undefined;
}

/** Options of `materials.register`. */
export interface RegisterOptions
  extends RequestOptions, Omit<WaitOptions<MaterialUpdate>, 'signal'> {
  /** Called when a person must verify first. */
  onVerification?: ((verification: Verification) => void) | undefined;
}

/** The library of reusable media for video requests. Specification: Materials. */
export class Materials {
  readonly #sender: Sender;

  /** @internal */
  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Registers a public image, video or audio file. The idempotency key that the service requires is made when none is
   * given. Specification: POST /materials.
   *
   * @throws {@link ConfigurationError} when the params break a rule of the specification.
   * @throws {@link ConflictError} when the key was used for a different request.
   */
  create(params: MaterialCreateParams, options: RequestOptions = {}): RequestPromise<Material> {
    return executeJson(
      this.#sender,
      () => createCall(params),
      materialSchema,
      withIdempotencyKey(options),
    );
  }

  /**
   * One material. Specification: GET /materials/\{material_id\}.
   *
   * @throws {@link NotFoundError} when it is unknown, somebody else's, or expired.
   */
  retrieve(id: string, options?: RequestOptions): RequestPromise<Material> {
    return this.#one(id, options);
  }

  /**
   * Deletes a material: its status is then `deleted`, or `delete_pending`. Deleting twice is fine.
   * Specification: DELETE /materials/\{material_id\}.
   */
  delete(id: string, options?: RequestOptions): RequestPromise<Material> {
    return this.#one(id, options, 'DELETE');
  }

  /**
   * Lists materials page by page; `for await (const material of await gateway.materials.list())` goes through every
   * page. Failed, deleted and expired ones are not listed. Specification: GET /materials.
   *
   * @throws {@link ConfigurationError} when `limit` is not 1 to 100.
   */
  list(query: MaterialListQuery = {}, options?: RequestOptions): RequestPromise<MaterialPage> {
    const next = (after: string) => this.list({ ...query, after }, options);
    const problem = materialListQueryProblem(query);
    return requestJson(this.#sender, '/v1/materials', readMaterialPage(next), options, {
      query,
      problem,
    });
  }

  /**
   * Waits until a material is available.
   *
   * @throws {@link MaterialFailedError} when it never will be; {@link MaterialWaitTimeoutError} when `waitTimeout` is over.
   */
  async wait(id: string, options: WaitOptions<MaterialUpdate> = {}): Promise<AvailableMaterial> {
    return waitForMaterial(this.#waitOf(id), options);
  }

  /** Every poll until the material is available or never will be, the last one included. */
  updates(
    id: string,
    options: Omit<WaitOptions<MaterialUpdate>, 'onUpdate'> = {},
  ): AsyncGenerator<MaterialUpdate, void, undefined> {
    return followMaterial(this.#waitOf(id), options);
  }

  /**
   * Registers a file and waits until it is available. For a real person `onVerification` is told the page to open.
   *
   * @throws as {@link Materials.create} and {@link Materials.wait}.
   */
  register(
    params: MaterialCreateParams,
    options: RegisterOptions = {},
  ): RequestPromise<AvailableMaterial> {
    const read = readJson(readWithSchema(materialSchema));
    const describe = () => {
      resolvePollTiming(options, materialPollTiming);
      return createCall(params);
    };
    return this.#sender.promise(describe, withIdempotencyKey(options), read, async (answer) => {
      // The page is a secret: nothing that is thrown or shown later may carry it.
      const { verification_url: url, verification_expires_at: expiresAt, ...known } = answer.data;
      if (url) this.#sender.notify(options.onVerification, { url, expiresAt }, 'onVerification');
      return { ...answer, data: await waitForMaterial(this.#waitOf(known.id, known), options) };
    });
  }

  #one(id: string, options?: RequestOptions, method = 'GET'): RequestPromise<Material> {
    const values = { material_id: id };
    const template = '/v1/materials/{material_id}';
    return requestJson(this.#sender, template, materialSchema, options, { method, values });
  }

  #waitOf(id: string, known?: Material): MaterialWait {
    fillPath('{id}', { id });
    return {
      sender: this.#sender,
      id,
      known,
      read: async (options) => this.retrieve(id, options),
    };
  }
}

function createCall(params: MaterialCreateParams): ApiCall {
  checkProblem(materialCreateParamsProblem(params));
  return {
    method: 'POST',
    template: '/v1/materials',
    body: params,
    safety: 'keyed',
    idempotencyHeader: 'idempotency-key',
  };
}
