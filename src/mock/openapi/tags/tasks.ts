import type { Json, FieldDocs, OperationDocs } from '../docs.ts';

const files = { image: 'images', video: 'videos', audio: 'audios' } as const;

type Kind = keyof typeof files;

/** What the record of a task says of each field. Specification: Audio task; assumption A3. */
export function taskFields(kind: Kind): Record<string, FieldDocs> {
  const url = `${kind}_url`;
  const list = files[kind];
  return {
    id: 'Id of the task; the same as `task_id`.',
    task_id: 'Id of the task; the same as `id`.',
    object: { description: 'Kind of record.', enum: [`${kind}.generation.job`] },
    status: {
      description: 'Where the task stands; `completed`, `succeeded` and `failed` are final.',
      enum: ['queued', 'in_progress', 'processing', 'completed', 'succeeded', 'failed'],
    },
    raw_status:
      "The upstream's own word: `SUBMITTED`, `IN_PROGRESS`, `SUCCESS`, `FAILURE` or another.",
    progress: { description: 'Percent done, as text.', pattern: '^\\d+%$', example: '45%' },
    error: 'Why the task failed; null otherwise.',
    'error.message': 'What went wrong.',
    'error.code': 'A machine-readable reason.',
    model: 'The model that works on it.',
    created_at: 'When it was submitted, unix seconds.',
    poll_url: { description: 'Where to ask for this task.', format: 'uri' },
    [url]: {
      description: 'URL of the first finished file; null until then. It does not live for ever.',
      format: 'uri',
    },
    result: 'What the task made; null until then.',
    [`result.${url}`]: { description: 'URL of the first file.', format: 'uri' },
    'result.outputs': 'URLs of all files.',
    [`result.${list}`]: 'All files as records.',
    [`result.${list}[].url`]: { description: 'URL of the file.', format: 'uri' },
  };
}

/** A task that has just finished. */
export function taskExample(kind: Kind, ending: string): Json {
  const url = `https://files.example/1.${ending}`;
  return {
    id: 'task_1',
    task_id: 'task_1',
    object: `${kind}.generation.job`,
    status: 'completed',
    raw_status: 'SUCCESS',
    progress: '100%',
    error: null,
    [`${kind}_url`]: url,
    result: { [`${kind}_url`]: url, outputs: [url], [files[kind]]: [{ url }] },
  };
}

/** What is said of an endpoint that tells where a task stands. */
export function pollDocs(kind: Kind, id: string): OperationDocs {
  const task = `${kind === 'video' ? 'A' : 'An'} ${kind} task`;
  return {
    id,
    description: `${task} is asked for every 2 to 5 seconds until its status is final. Tasks of other users are as good as unknown.`,
    responses: { 200: ['The task as of now.'] },
    errorCodes: { 404: ['task_not_found'] },
  };
}

/** What is said of every endpoint that submits a task. */
export const submitted =
  'Answers with the id of the task at once; the headers tell what it costs. Sent again with the same `x-idempotency-key`, the request gives back the same task and is not charged again.';

/** What a submit means with 400 that names a model and a key. */
export const submitCodes = [
  'invalid_request_parameter',
  'model_not_found',
  'invalid_idempotency_key',
];
