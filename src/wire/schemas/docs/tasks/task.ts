// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  AudioTaskRecord,
  FailedGeneration,
  ImageTaskRecord,
  PendingGeneration,
  Receipt,
  SucceededGeneration,
  TaskError,
  VideoTaskRecord,
} from '../../../types/tasks/task.ts';
import type { Docs } from '../../record-schema.ts';

export const taskError: Docs<TaskError> = {
  fields: {
    message: 'Error message from the service.',
    code: 'Machine-readable error code, if the service sends one.',
  },
};

export const imageTaskRecordResultImages: Docs<
  NonNullable<NonNullable<ImageTaskRecord['result']>['images']>[number]
> = {
  fields: {
    url: 'URL of the image.',
    b64_json: 'Base64-encoded image, if the service sends no URL.',
    revised_prompt: 'Prompt as revised by the model.',
  },
};

export const imageTaskRecordResult: Docs<NonNullable<ImageTaskRecord['result']>> = {
  fields: {
    image_url: 'URL of the first image.',
    outputs: 'URLs of all images.',
    images: 'All images.',
  },
};

export const imageTaskRecord: Docs<ImageTaskRecord> = {
  fields: {
    image_url: 'URL of the first image; null until the task has succeeded.',
    result: 'Result of the task; null until it has succeeded.',
    id: 'Task id, equal to `task_id`.',
    task_id: 'Task id, equal to `id`.',
    object: 'Record type.',
    status: 'Status as sent by the service.',
    raw_status: 'Raw status. The specification does not say how it relates to `status`.',
    progress: 'Progress as a percentage, as text, such as `45%`.',
    error: 'Error of a failed task; null otherwise.',
    model: 'Model id. Present in some submit responses.',
    created_at: 'Creation time in Unix seconds. Present in some submit responses.',
    poll_url: 'URL to poll this task at, on the same origin.',
  },
};

export const videoTaskRecordResultVideos: Docs<
  NonNullable<NonNullable<VideoTaskRecord['result']>['videos']>[number]
> = {
  fields: {
    url: 'URL of the video.',
  },
};

export const videoTaskRecordResult: Docs<NonNullable<VideoTaskRecord['result']>> = {
  fields: {
    video_url: 'URL of the first video.',
    outputs: 'URLs of all videos.',
    videos: 'All videos.',
  },
};

export const videoTaskRecord: Docs<VideoTaskRecord> = {
  fields: {
    video_url: 'URL of the video; null until the task has succeeded.',
    result: 'Result of the task; null until it has succeeded.',
    id: 'Task id, equal to `task_id`.',
    task_id: 'Task id, equal to `id`.',
    object: 'Record type.',
    status: 'Status as sent by the service.',
    raw_status: 'Raw status. The specification does not say how it relates to `status`.',
    progress: 'Progress as a percentage, as text, such as `45%`.',
    error: 'Error of a failed task; null otherwise.',
    model: 'Model id. Present in some submit responses.',
    created_at: 'Creation time in Unix seconds. Present in some submit responses.',
    poll_url: 'URL to poll this task at, on the same origin.',
  },
};

export const audioTaskRecordResultAudios: Docs<
  NonNullable<NonNullable<AudioTaskRecord['result']>['audios']>[number]
> = {
  fields: {
    url: 'URL of the audio.',
  },
};

export const audioTaskRecordResult: Docs<NonNullable<AudioTaskRecord['result']>> = {
  fields: {
    audio_url: 'URL of the first output.',
    outputs: 'URLs of all outputs.',
    audios: 'All outputs as objects.',
  },
};

export const audioTaskRecordOutput: Docs<NonNullable<AudioTaskRecord['output']>> = {
  fields: {
    audio_url: 'URL of the audio.',
  },
};

export const audioTaskRecord: Docs<AudioTaskRecord> = {
  fields: {
    audio_url: 'URL of the audio; null until the task has succeeded.',
    result: 'Result of the task; null until it has succeeded.',
    output: 'Alternative success shape, sent instead of `result`.',
    id: 'Task id, equal to `task_id`.',
    task_id: 'Task id, equal to `id`.',
    object: 'Record type.',
    status: 'Status as sent by the service.',
    raw_status: 'Raw status. The specification does not say how it relates to `status`.',
    progress: 'Progress as a percentage, as text, such as `45%`.',
    error: 'Error of a failed task; null otherwise.',
    model: 'Model id. Present in some submit responses.',
    created_at: 'Creation time in Unix seconds. Present in some submit responses.',
    poll_url: 'URL to poll this task at, on the same origin.',
  },
};

export const pendingGeneration: Docs<PendingGeneration> = {
  fields: {
    status: 'Normalized status: the task has not ended.',
    urls: 'URLs of the results so far, usually none.',
    error: 'Only a failed task has an error.',
    id: 'Task id.',
    kind: 'Kind of media that the task generates.',
    rawStatus: '`status` as sent by the service; empty if the record has none.',
    progress: 'Progress in percent, 0 to 100, if the service reports it.',
    model: 'Model id, if the service reports it.',
    createdAt: 'Creation time, if the service reports it.',
    raw: 'The record as sent by the service, with all of its fields.',
  },
};

export const succeededGeneration: Docs<SucceededGeneration> = {
  fields: {
    status: 'Normalized status: the task has ended with a result.',
    urls: 'URLs of the results, without duplicates. Result URLs are not permanent: download the files soon.',
    error: 'Only a failed task has an error.',
    id: 'Task id.',
    kind: 'Kind of media that the task generates.',
    rawStatus: '`status` as sent by the service; empty if the record has none.',
    progress: 'Progress in percent, 0 to 100, if the service reports it.',
    model: 'Model id, if the service reports it.',
    createdAt: 'Creation time, if the service reports it.',
    raw: 'The record as sent by the service, with all of its fields.',
  },
};

export const failedGeneration: Docs<FailedGeneration> = {
  fields: {
    status: 'Normalized status: the task has ended without a result.',
    urls: 'URLs of partial results, usually none.',
    error: 'Why the task failed.',
    id: 'Task id.',
    kind: 'Kind of media that the task generates.',
    rawStatus: '`status` as sent by the service; empty if the record has none.',
    progress: 'Progress in percent, 0 to 100, if the service reports it.',
    model: 'Model id, if the service reports it.',
    createdAt: 'Creation time, if the service reports it.',
    raw: 'The record as sent by the service, with all of its fields.',
  },
};

export const receipt: Docs<Receipt> = {
  fields: {
    v: 'Version of the receipt format.',
    kind: 'Kind of media that the task generates.',
    id: 'Task id.',
    model: 'Id of the model, if the submission had a `fallback`.',
    idempotencyKey:
      'Idempotency key of the submit request. Resubmitting with the same key never charges twice.',
    chargeUsd: 'Charge for the task in USD.',
    submittedAt: 'Time of submission (ISO 8601).',
  },
};
