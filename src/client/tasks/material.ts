import { ConfigurationError } from '../../errors/base.ts';
import { abortedError } from '../../errors/call.ts';
import { MaterialFailedError, MaterialWaitTimeoutError } from '../../errors/tasks.ts';
import { endpoints } from '../../wire/endpoints/index.ts';
import {
  isFinalMaterialStatus,
  isAvailable,
  materialSchema,
} from '../../wire/types/media/materials.ts';
import type {
  AvailableMaterial,
  Material,
  MaterialStatus,
} from '../../wire/types/media/materials.ts';
import { parseURL } from '../../wire/types/type-guards.ts';
import { callTo } from '../call/api-request.ts';
import type { ClientContext } from '../call/context.ts';
import { execute } from '../call/execute.ts';
import type { PollHeaders } from '../call/request-options.ts';
import { readJson, readWithSchema } from '../call/response.ts';
import { fillPath } from '../http/path.ts';
import { LatestRecord, waitAborted } from './polled-record.ts';
import type { PollResult, PollTarget } from './polled-record.ts';

/** The result of one poll of a material. */
export type MaterialUpdate = Material & {
  /** Why this poll failed, if it did; the other fields are then those of the previous poll. The wait continues. */
  pollError?: Error | undefined;
};

export const readMaterial = readJson(readWithSchema(materialSchema));

/** A material to wait for. */
export function materialTarget(
  context: ClientContext,
  id: string,
  known?: PollResult<Material>,
  pollHeaders?: PollHeaders,
): PollTarget<Material, AvailableMaterial> {
  const latest = new LatestRecord(isFinalMaterialStatus, known);
  return {
    context,
    operation: { type: 'wait', kind: 'material', id },
    latest,
    pollHeaders,
    pollInterval: 3_000,
    async poll(options) {
      const path = fillPath(endpoints.materials.retrieve.path, { material_id: id });
      const request = { ...callTo(endpoints.materials.retrieve, context.config), path, options };
      return execute(context, request, readMaterial);
    },
    toResult(last) {
      if (isAvailable(last)) return last;
      throw new MaterialFailedError(
        `Material ${id} has the status ${last.status} and no usable URI. To try again, use a new idempotency key.`,
        { material: last },
      );
    },
    aborted: (reason) => abortedError(reason, {}, withAdvice(waitAborted, id)),
    timeout(problem) {
      const details = { material: latest.value };
      return new MaterialWaitTimeoutError(withAdvice(problem, id), details);
    },
  };
}

const withAdvice = (problem: string, id: string): string =>
  `${problem} Material ${id} is not lost: continue with materials.wait().`;

/**
 * Parses the URL to which a browser is redirected after a verification. It reports only that a result exists, so
 * keep polling the material for its status.
 *
 * @throws {@link ConfigurationError} for anything other than the two documented parameters.
 */
export function parseMaterialCallback(url: string | URL): {
  materialId: string;
  materialStatus: MaterialStatus;
} {
  const query = parseURL(String(url), 'https://callback.invalid')?.searchParams;
  const materialId = query?.get('material_id');
  const materialStatus = query?.get('material_status');
  if (materialId && materialStatus && query?.size === 2) return { materialId, materialStatus };
  throw new ConfigurationError(
    'url: must have exactly the parameters material_id and material_status.',
  );
}
