import { audioTaskRecord } from '../../schemas/task.ts';
import { defineJsonEndpoint } from '../http/endpoint.ts';
import { audioBody, audioJob, documentedAudioBody } from '../tasks/audio-job.ts';
import { pollRoute } from '../tasks/poll-route.ts';
import { submitTask } from '../tasks/submit.ts';

/** Specification: Audio. */
export const audioRoutes = [
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/audio/tasks',
    summary: 'Create a music or speech task',
    slot: true,
    body: audioBody,
    documentedBody: documentedAudioBody,
    responseSchema: audioTaskRecord,
    status: 202,
    errors: [400, 401, 402, 403, 404, 409, 413, 429, 503],
    handle: (call, body) => submitTask(call, 'audio', body, () => audioJob(call, body)),
  }),
  pollRoute('audio', '/v1/audio/tasks/{taskId}'),
];
