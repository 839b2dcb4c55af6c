import * as z from 'zod/mini';

import { recordSchema, openString } from './record-schema.ts';
import type { Open } from './schema.ts';

/** What a task makes. Music and speech are both `audio`. */
export type TaskKind = 'image' | 'video' | 'audio';

/**
 * Where a task stands, in one vocabulary for every kind. Words the service may add later count as `running`; the word
 * itself is kept in `rawStatus`.
 */
export type TaskStatus = 'queued' | 'running' | 'succeeded' | 'failed';

/** Why a task failed. */
export interface TaskError {
  /** What the service says went wrong. */
  message: string;
  /** A machine-readable reason, when the service gives one. */
  code?: string | undefined;
}

/** Fields that image, video and audio task records share. Specification: Audio task; assumption A3. */
export interface TaskRecord {
  /** Task id; the same value as `task_id`. */
  id: string;
  /** Task id; the same value as `id`. */
  task_id: string;
  /** Kind of record. */
  object: Open<'image.generation.job' | 'video.generation.job' | 'audio.generation.job'>;
  /** Where the task stands, in the service's words. */
  status: Open<'queued' | 'in_progress' | 'processing' | 'completed' | 'succeeded' | 'failed'>;
  /** The upstream's own word for the status. */
  raw_status: Open<'SUBMITTED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE'>;
  /** Percent as text, such as `45%`. */
  progress: string;
  /** Why the task failed; null otherwise. */
  error: TaskError | null;
  /** The model that works on it; in some submit answers only. */
  model?: string | undefined;
  /** Submission time in unix seconds; in some submit answers only. */
  created_at?: number | undefined;
  /** An address to ask for this task, on the same origin. */
  poll_url?: string | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/** An image task as the service sends it. Specification: Image generation; assumption A3. */
export interface ImageTaskRecord extends TaskRecord {
  /** URL of the first finished image; null until then. */
  image_url: string | null;
  /** The finished images; null until then. */
  result: {
    /** URL of the first image. */
    image_url: string;
    /** URLs of all images. */
    outputs: string[];
    /** All images as records. */
    images: { url: string; b64_json?: string | undefined; revised_prompt?: string | undefined }[];
  } | null;
}

/** A video task as the service sends it. Specification: Video generation; assumption A3. */
export interface VideoTaskRecord extends TaskRecord {
  /** URL of the finished video; null until then. */
  video_url: string | null;
  /** The finished video; null until then. */
  result: {
    /** URL of the first video. */
    video_url: string;
    /** URLs of all videos. */
    outputs: string[];
    /** All videos as records. */
    videos: { url: string }[];
  } | null;
}

/** A music or speech task as the service sends it. Specification: Audio task. */
export interface AudioTaskRecord extends TaskRecord {
  /** URL of the finished audio; null until then. */
  audio_url: string | null;
  /** The finished audio; null until then. */
  result: {
    /** URL of the first output. */
    audio_url: string;
    /** URLs of all outputs. */
    outputs: string[];
    /** All outputs as records. */
    audios: { url: string }[];
  } | null;
  /** The alternative success shape: here instead of in `result`. */
  output?: { audio_url: string } | undefined;
}

/** The documented record of each kind of task. */
export interface TaskRecords {
  /** An image task. */
  image: ImageTaskRecord;
  /** A video task. */
  video: VideoTaskRecord;
  /** A music or speech task. */
  audio: AudioTaskRecord;
}

/** A task of any kind in one shape, read from whichever record the service sends. */
export interface Generation<Kind extends TaskKind = TaskKind> {
  /** Task id. */
  id: string;
  /** What the task makes. */
  kind: Kind;
  /** Where the task stands; `succeeded` and `failed` are final. */
  status: TaskStatus;
  /** The word of `status` exactly as sent; empty when the record had none. */
  rawStatus: string;
  /** Percent done, 0 to 100, when the service tells. */
  progress?: number | undefined;
  /** URLs of the results, without duplicates. They do not live for ever: download soon. */
  urls: string[];
  /** Why the task failed. */
  error?: TaskError | undefined;
  /** The model that works on it. */
  model?: string | undefined;
  /** When the task was submitted. */
  createdAt?: Date | undefined;
  /** The record as sent, with every field of the service. */
  raw: TaskRecords[Kind];
}

/**
 * What is needed to find a task again in any process, on any day: plain JSON, without the API key or the prompt.
 */
export interface Receipt<Kind extends TaskKind = TaskKind> {
  /** Version of this shape. */
  v: 1;
  /** What the task makes. */
  kind: Kind;
  /** Task id. */
  id: string;
  /** The key that the task was submitted with; the same key never pays twice. */
  idempotencyKey?: string | undefined;
  /** What the submit cost, USD. */
  chargeUsd?: number | undefined;
  /** When the task was submitted, ISO 8601. */
  submittedAt?: string | undefined;
}

const taskShape = /* @__PURE__ */ (() => ({
  id: z.string(),
  task_id: z.string(),
  object: openString<'image.generation.job'>(),
  status: openString<'queued'>(),
  raw_status: openString<'SUBMITTED'>(),
  progress: z.string(),
  error: z.nullable(recordSchema<TaskError>({ message: z.string(), code: z.optional(z.string()) })),
  model: z.optional(z.string()),
  created_at: z.optional(z.number()),
  poll_url: z.optional(z.string()),
}))();

export const imageTaskRecord = /* @__PURE__ */ (() =>
  recordSchema<ImageTaskRecord>({
    ...taskShape,
    image_url: z.nullable(z.string()),
    result: z.nullable(
      z.looseObject({
        image_url: z.string(),
        outputs: z.array(z.string()),
        images: z.array(
          z.looseObject({
            url: z.string(),
            b64_json: z.optional(z.string()),
            revised_prompt: z.optional(z.string()),
          }),
        ),
      }),
    ),
  }))();

export const videoTaskRecord = /* @__PURE__ */ (() =>
  recordSchema<VideoTaskRecord>({
    ...taskShape,
    video_url: z.nullable(z.string()),
    result: z.nullable(
      z.looseObject({
        video_url: z.string(),
        outputs: z.array(z.string()),
        videos: z.array(z.looseObject({ url: z.string() })),
      }),
    ),
  }))();

export const audioTaskRecord = /* @__PURE__ */ (() =>
  recordSchema<AudioTaskRecord>({
    ...taskShape,
    audio_url: z.nullable(z.string()),
    result: z.nullable(
      z.looseObject({
        audio_url: z.string(),
        outputs: z.array(z.string()),
        audios: z.array(z.looseObject({ url: z.string() })),
      }),
    ),
    output: z.optional(z.looseObject({ audio_url: z.string() })),
  }))();
