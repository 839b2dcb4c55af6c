import { audioTaskRecord } from '../../wire/schemas/tasks/task.ts';
import { defineJsonEndpoint } from '../http/endpoint.ts';
import { pollRoute } from '../tasks/poll-route.ts';
import { audioBody, prepareAudio, documentedAudioBody } from '../tasks/prepare-audio.ts';
import { submitErrors, submitTask } from '../tasks/submit.ts';

/** Specification: Audio. */
export const audioRoutes = [
  defineJsonEndpoint({
    method: 'POST',
    path: '/v1/audio/tasks',
    summary: 'Create a music or speech task',
    usesSlot: true,
    body: audioBody,
    documentedBody: documentedAudioBody,
    responseSchema: audioTaskRecord,
    status: 202,
    errors: submitErrors,
    handle: (context, body) =>
      submitTask(context, 'audio', body, () => prepareAudio(context, body)),
  }),
  pollRoute('audio', '/v1/audio/tasks/{taskId}'),
];
