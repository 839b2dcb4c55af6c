import { abortedError } from '../../../errors/call.ts';
import { MaterialFailedError, MaterialWaitTimeoutError } from '../../../errors/tasks.ts';
import { retrieveMaterial } from '../../../wire/endpoints/media.ts';
import {
  isFinalMaterialStatus,
  isAvailable,
  materialSchema,
} from '../../../wire/types/media/materials.ts';
import type { AvailableMaterial, Material } from '../../../wire/types/media/materials.ts';
import { callTo } from '../../call/api-call.ts';
import type { ClientContext } from '../../call/context.ts';
import { execute } from '../../call/execute.ts';
import type { PollHeaders } from '../../call/request/request-options.ts';
import { readJson, readWithSchema } from '../../call/response.ts';
import { fillPath } from '../../http/path.ts';
import { LatestRecord } from '../wait/latest-record.ts';
import type { PollResult } from '../wait/latest-record.ts';
import type { PollTarget } from '../wait/poll-target.ts';

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
      const path = fillPath(retrieveMaterial.path, { material_id: id });
      const call = { ...callTo(retrieveMaterial, context.config), path };
      return execute(context, { call, options }, readMaterial);
    },
    toResult(last) {
      if (isAvailable(last)) return last;
      throw new MaterialFailedError(
        `Material ${id} has the status ${last.status} and no usable URI. To try again, use a new idempotency key.`,
        { material: last },
      );
    },
    errors: {
      aborted: (problem, reason) => abortedError(reason, {}, withAdvice(problem, id)),
      timeout(problem) {
        const details = { material: latest.value };
        return new MaterialWaitTimeoutError(withAdvice(problem, id), details);
      },
    },
  };
}

const withAdvice = (problem: string, id: string): string =>
  `${problem} Material ${id} is not lost: continue with materials.wait().`;
