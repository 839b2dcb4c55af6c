import type { PolygateError } from '../../errors/base.ts';
import { MaterialFailedError, MaterialWaitTimeoutError } from '../../errors/tasks.ts';
import { endpoints } from '../../wire/endpoints/index.ts';
import { isAvailable, isFinalMaterialStatus } from '../../wire/types/media/material-status.ts';
import type { AvailableMaterial, Material } from '../../wire/types/media/materials.ts';
import { callTo } from '../call/api-request.ts';
import { execute } from '../call/execute.ts';
import type { PollHeaders } from '../call/request-options.ts';
import { fillPath } from '../http/path.ts';
import { readMaterial } from './material.ts';
import type { MaterialWait } from './material.ts';
import { LatestRecord } from './polled-record.ts';
import type { PollResult, PollTarget } from './polled-record.ts';

/** Polls one material. `pollHeaders` are those of the request that has created it. */
export function materialPolls(
  { context, id, aborted, withAdvice }: MaterialWait,
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
    aborted,
    timeout: (problem): PolygateError =>
      new MaterialWaitTimeoutError(withAdvice(problem), { material: latest.value }),
  };
}
