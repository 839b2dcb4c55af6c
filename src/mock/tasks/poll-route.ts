import { audioTaskRecord, imageTaskRecord, videoTaskRecord } from '../../schemas/task.ts';
import type { TaskKind } from '../../schemas/task.ts';
import { json } from '../http/response/response.ts';
import { param } from '../http/request-context.ts';
import { reads } from '../http/endpoint.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { taskRecord } from './record.ts';

const replies = { image: imageTaskRecord, video: videoTaskRecord, audio: audioTaskRecord };

/**
 * An endpoint that tells where a task stands. The specification does not show every such path: a
 * switch may close all but one, and then the others answer as paths do that do not exist.
 */
export function pollRoute(
  kind: TaskKind,
  path: string,
  assumption?: 'A1' | 'A2',
  name?: string,
): Endpoint {
  return reads({
    method: 'GET',
    path,
    summary: `Tells where ${kind === 'video' ? 'a' : 'an'} ${kind} task stands`,
    reply: replies[kind],
    errors: [401, 403, 404],
    handle: (call) => {
      const only = assumption === undefined ? 'any' : call.services.assumptions[assumption];
      if (only !== 'any' && only !== name) {
        throw new GatewayError(404, 'not_found', 'This service has no such path');
      }
      const task = call.services.tasks.find(call.user, kind, param(call, 'taskId'));
      if (task === undefined) {
        throw new GatewayError(404, 'task_not_found', `There is no ${kind} task with this id`);
      }
      return json(200, taskRecord(call, task), { 'x-svc-task-id': task.id });
    },
  });
}
