import {
  audioTaskRecord,
  imageTaskRecord,
  videoTaskRecord,
} from '../../wire/schemas/tasks/task.ts';
import type { TaskKind } from '../../wire/types/tasks/task.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { param } from '../http/request-context.ts';
import { GatewayError, unknownEndpoint } from '../http/response/gateway-error.ts';
import { json } from '../http/response/response.ts';
import { taskRecord } from './record.ts';

const recordSchemas = { image: imageTaskRecord, video: videoTaskRecord, audio: audioTaskRecord };

/**
 * Defines an endpoint that polls a task. The specification does not document every poll path: A1 or
 * A2 may enable only one of them, by `name`; the others then return a 404.
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
    handle: (context) => {
      const enabled = assumption === undefined ? 'any' : context.services.assumptions[assumption];
      if (enabled !== 'any' && enabled !== name) throw unknownEndpoint(context.route);
      const task = context.services.tasks.find(context.user, kind, param(context, 'taskId'));
      if (task === undefined) {
        // Reached when a batch continues from its journal after the gateway was restarted.
        const hint = 'Without --state, the reference gateway forgets its tasks when it stops';
        throw new GatewayError(
          404,
          'task_not_found',
          `There is no ${kind} task with this id. ${hint}`,
        );
      }
      return json(200, taskRecord(context, task), { 'x-svc-task-id': task.id });
    },
  });
}
