import { audioTaskRecord, imageTaskRecord, videoTaskRecord } from '../../schemas/task.ts';
import type { TaskKind } from '../../schemas/task.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { param } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { json } from '../http/response/response.ts';
import { taskRecord } from './record.ts';

const recordSchemas = { image: imageTaskRecord, video: videoTaskRecord, audio: audioTaskRecord };

/**
 * Defines an endpoint that polls a task. The specification does not document every poll path: an
 * assumption may select a single one by its `name`, and then the others return a 404.
 */
export function pollRoute(
  kind: TaskKind,
  path: string,
  assumption?: 'A1' | 'A2',
  name?: string,
): Endpoint {
  return defineEndpoint({
    method: 'GET',
    path,
    summary: `Retrieve ${kind === 'video' ? 'a' : 'an'} ${kind} task`,
    responseSchema: recordSchemas[kind],
    errors: [401, 403, 404],
    handle: (call) => {
      const enabled = assumption === undefined ? 'any' : call.services.assumptions[assumption];
      if (enabled !== 'any' && enabled !== name) {
        throw new GatewayError(404, 'not_found', `There is no endpoint ${call.route}`);
      }
      const task = call.services.tasks.find(call.user, kind, param(call, 'taskId'));
      if (task === undefined) {
        throw new GatewayError(404, 'task_not_found', `There is no ${kind} task with this id`);
      }
      return json(200, taskRecord(call, task), { 'x-svc-task-id': task.id });
    },
  });
}
