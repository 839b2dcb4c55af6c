// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { date, either, oneOf, openString, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema } from '../../schemas/record-schema.ts';
import type { AudioTaskRecord, FailedGeneration, Generation, ImageTaskRecord, PendingGeneration, Receipt, SucceededGeneration, TaskError, VideoTaskRecord } from '../../types/tasks/task.ts';

const imageTaskRecordResultImages: Schema<NonNullable<ImageTaskRecord['result']>['images'][number]> = recordSchema({
  url: ["URL of the image.", z.string()],
  b64_json: ["Base64-encoded image, if the service sends no URL.", z.optional(z.string())],
  revised_prompt: ["Prompt as revised by the model.", z.optional(z.string())],
});

const imageTaskRecordResult: Schema<NonNullable<ImageTaskRecord['result']>> = recordSchema({
  image_url: ["URL of the first image.", z.string()],
  outputs: ["URLs of all images.", z.array(z.string())],
  images: ["All images.", z.array(imageTaskRecordResultImages)],
});

const taskError: Schema<TaskError> = recordSchema({
  message: ["Error message from the service.", z.string()],
  code: ["Machine-readable error code, if the service sends one.", z.optional(z.string())],
});

export const imageTaskRecord: Schema<ImageTaskRecord> = recordSchema({
  image_url: ["URL of the first image; null until the task has succeeded.", z.nullable(z.string())],
  result: ["Result of the task; null until it has succeeded.", z.nullable(imageTaskRecordResult)],
  id: ["Task id, equal to `task_id`.", z.string()],
  task_id: ["Task id, equal to `id`.", z.string()],
  object: ["Record type.", openString("image.generation.job", "video.generation.job", "audio.generation.job")],
  status: ["Status as sent by the service.", openString("queued", "in_progress", "processing", "completed", "succeeded", "failed")],
  raw_status: ["Raw status. The specification does not say how it relates to `status`.", openString("SUBMITTED", "IN_PROGRESS", "SUCCESS", "FAILURE")],
  progress: ["Progress as a percentage, as text, such as `45%`.", z.string()],
  error: ["Error of a failed task; null otherwise.", z.nullable(taskError)],
  model: ["Model id. Present in some submit responses.", z.optional(z.string())],
  created_at: ["Creation time in Unix seconds. Present in some submit responses.", z.optional(z.number())],
  poll_url: ["URL to poll this task at, on the same origin.", z.optional(z.string())],
});

export const imageTaskRecordKeywords = {
  "image_url": {
    "format": "uri"
  },
  "result.image_url": {
    "format": "uri"
  },
  "result.images[].url": {
    "format": "uri"
  },
  "progress": {
    "pattern": "^\\d+%$",
    "example": "45%"
  },
  "poll_url": {
    "format": "uri"
  }
} as const;

const videoTaskRecordResultVideos: Schema<NonNullable<VideoTaskRecord['result']>['videos'][number]> = recordSchema({
  url: ["URL of the video.", z.string()],
});

const videoTaskRecordResult: Schema<NonNullable<VideoTaskRecord['result']>> = recordSchema({
  video_url: ["URL of the first video.", z.string()],
  outputs: ["URLs of all videos.", z.array(z.string())],
  videos: ["All videos.", z.array(videoTaskRecordResultVideos)],
});

export const videoTaskRecord: Schema<VideoTaskRecord> = recordSchema({
  video_url: ["URL of the video; null until the task has succeeded.", z.nullable(z.string())],
  result: ["Result of the task; null until it has succeeded.", z.nullable(videoTaskRecordResult)],
  id: ["Task id, equal to `task_id`.", z.string()],
  task_id: ["Task id, equal to `id`.", z.string()],
  object: ["Record type.", openString("image.generation.job", "video.generation.job", "audio.generation.job")],
  status: ["Status as sent by the service.", openString("queued", "in_progress", "processing", "completed", "succeeded", "failed")],
  raw_status: ["Raw status. The specification does not say how it relates to `status`.", openString("SUBMITTED", "IN_PROGRESS", "SUCCESS", "FAILURE")],
  progress: ["Progress as a percentage, as text, such as `45%`.", z.string()],
  error: ["Error of a failed task; null otherwise.", z.nullable(taskError)],
  model: ["Model id. Present in some submit responses.", z.optional(z.string())],
  created_at: ["Creation time in Unix seconds. Present in some submit responses.", z.optional(z.number())],
  poll_url: ["URL to poll this task at, on the same origin.", z.optional(z.string())],
});

export const videoTaskRecordKeywords = {
  "video_url": {
    "format": "uri"
  },
  "result.video_url": {
    "format": "uri"
  },
  "result.videos[].url": {
    "format": "uri"
  },
  "progress": {
    "pattern": "^\\d+%$",
    "example": "45%"
  },
  "poll_url": {
    "format": "uri"
  }
} as const;

const audioTaskRecordResultAudios: Schema<NonNullable<AudioTaskRecord['result']>['audios'][number]> = recordSchema({
  url: ["URL of the audio.", z.string()],
});

const audioTaskRecordResult: Schema<NonNullable<AudioTaskRecord['result']>> = recordSchema({
  audio_url: ["URL of the first output.", z.string()],
  outputs: ["URLs of all outputs.", z.array(z.string())],
  audios: ["All outputs as objects.", z.array(audioTaskRecordResultAudios)],
});

const audioTaskRecordOutput: Schema<NonNullable<AudioTaskRecord['output']>> = recordSchema({
  audio_url: ["URL of the audio.", z.string()],
});

export const audioTaskRecord: Schema<AudioTaskRecord> = recordSchema({
  audio_url: ["URL of the audio; null until the task has succeeded.", z.nullable(z.string())],
  result: ["Result of the task; null until it has succeeded.", z.nullable(audioTaskRecordResult)],
  output: ["Alternative success shape, sent instead of `result`.", z.optional(audioTaskRecordOutput)],
  id: ["Task id, equal to `task_id`.", z.string()],
  task_id: ["Task id, equal to `id`.", z.string()],
  object: ["Record type.", openString("image.generation.job", "video.generation.job", "audio.generation.job")],
  status: ["Status as sent by the service.", openString("queued", "in_progress", "processing", "completed", "succeeded", "failed")],
  raw_status: ["Raw status. The specification does not say how it relates to `status`.", openString("SUBMITTED", "IN_PROGRESS", "SUCCESS", "FAILURE")],
  progress: ["Progress as a percentage, as text, such as `45%`.", z.string()],
  error: ["Error of a failed task; null otherwise.", z.nullable(taskError)],
  model: ["Model id. Present in some submit responses.", z.optional(z.string())],
  created_at: ["Creation time in Unix seconds. Present in some submit responses.", z.optional(z.number())],
  poll_url: ["URL to poll this task at, on the same origin.", z.optional(z.string())],
});

export const audioTaskRecordKeywords = {
  "audio_url": {
    "format": "uri"
  },
  "result.audio_url": {
    "format": "uri"
  },
  "result.audios[].url": {
    "format": "uri"
  },
  "output.audio_url": {
    "format": "uri"
  },
  "progress": {
    "pattern": "^\\d+%$",
    "example": "45%"
  },
  "poll_url": {
    "format": "uri"
  }
} as const;

const pendingGeneration: Schema<PendingGeneration> = recordSchema({
  status: ["Normalized status: the task has not ended.", z.enum(["queued","running"])],
  urls: ["URLs of the results so far, usually none.", z.array(z.string())],
  error: ["Only a failed task has an error.", z.optional(z.never())],
  id: ["Task id.", z.string()],
  kind: ["Kind of media that the task generates.", z.enum(["image","video","audio"])],
  rawStatus: ["`status` as sent by the service; empty if the record has none.", z.string()],
  progress: ["Progress in percent, 0 to 100, if the service reports it.", z.optional(z.number())],
  model: ["Model id, if the service reports it.", z.optional(z.string())],
  createdAt: ["Creation time, if the service reports it.", z.optional(date())],
  raw: ["The record as sent by the service, with all of its fields.", either(imageTaskRecord, videoTaskRecord, audioTaskRecord)],
});

const succeededGeneration: Schema<SucceededGeneration> = recordSchema({
  status: ["Normalized status: the task has ended with a result.", z.literal("succeeded")],
  urls: ["URLs of the results, without duplicates. Result URLs are not permanent: download the files soon.", z.tuple([z.string()], z.string())],
  error: ["Only a failed task has an error.", z.optional(z.never())],
  id: ["Task id.", z.string()],
  kind: ["Kind of media that the task generates.", z.enum(["image","video","audio"])],
  rawStatus: ["`status` as sent by the service; empty if the record has none.", z.string()],
  progress: ["Progress in percent, 0 to 100, if the service reports it.", z.optional(z.number())],
  model: ["Model id, if the service reports it.", z.optional(z.string())],
  createdAt: ["Creation time, if the service reports it.", z.optional(date())],
  raw: ["The record as sent by the service, with all of its fields.", either(imageTaskRecord, videoTaskRecord, audioTaskRecord)],
});

const failedGeneration: Schema<FailedGeneration> = recordSchema({
  status: ["Normalized status: the task has ended without a result.", z.literal("failed")],
  urls: ["URLs of partial results, usually none.", z.array(z.string())],
  error: ["Why the task failed.", taskError],
  id: ["Task id.", z.string()],
  kind: ["Kind of media that the task generates.", z.enum(["image","video","audio"])],
  rawStatus: ["`status` as sent by the service; empty if the record has none.", z.string()],
  progress: ["Progress in percent, 0 to 100, if the service reports it.", z.optional(z.number())],
  model: ["Model id, if the service reports it.", z.optional(z.string())],
  createdAt: ["Creation time, if the service reports it.", z.optional(date())],
  raw: ["The record as sent by the service, with all of its fields.", either(imageTaskRecord, videoTaskRecord, audioTaskRecord)],
});

export const generation: Schema<Generation> = oneOf("status", [pendingGeneration, succeededGeneration, failedGeneration]);

export const receipt: Schema<Receipt> = recordSchema({
  v: ["Version of the receipt format.", z.literal(1)],
  kind: ["Kind of media that the task generates.", z.enum(["image","video","audio"])],
  id: ["Task id.", z.string()],
  model: ["Id of the model, if the submission had a `fallback`.", z.optional(z.string())],
  idempotencyKey: ["Idempotency key of the submit request. Resubmitting with the same key never charges twice.", z.optional(z.string())],
  chargeUsd: ["Charge for the task in USD.", z.optional(z.number())],
  submittedAt: ["Time of submission (ISO 8601).", z.optional(z.string())],
});
