import type { OpenString } from '../schema.ts';

/** Kind of media that a task generates. Music and speech are both `audio`. */
export type TaskKind = 'image' | 'video' | 'audio';

/**
 * Normalized status of a task, the same for all kinds. An unknown status counts as `running`; `rawStatus` holds the
 * original value.
 */
export type TaskStatus = 'queued' | 'running' | 'succeeded' | 'failed';

/** Error of a failed task. */
export interface TaskError {
  /** Error message from the service. */
  message: string;
  /** Machine-readable error code, if the service sends one. */
  code?: string | undefined;
}

/**
 * Fields common to image, video and audio task records. The service documents the record of audio tasks only; those of
 * images and videos are assumed to be alike.
 */
export interface TaskRecord {
  /** Task id, equal to `task_id`. */
  id: string;
  /** Task id, equal to `id`. */
  task_id: string;
  /** Record type. */
  object: OpenString<'image.generation.job' | 'video.generation.job' | 'audio.generation.job'>;
  /** Status as sent by the service. */
  status: OpenString<
    'queued' | 'in_progress' | 'processing' | 'completed' | 'succeeded' | 'failed'
  >;
  /** Raw status. The specification does not say how it relates to `status`. */
  raw_status: OpenString<'SUBMITTED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE'>;
  /**
   * Progress as a percentage, as text, such as `45%`.
   * @pattern ^\d+%$
   * @sample 45%
   */
  progress: string;
  /** Error of a failed task; null otherwise. */
  error: TaskError | null;
  /** Model id. Present in some submit responses. */
  model?: string | undefined;
  /** Creation time in Unix seconds. Present in some submit responses. */
  created_at?: number | undefined;
  /**
   * URL to poll this task at, on the same origin.
   * @format uri
   */
  poll_url?: string | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/**
 * Image task record as sent by the service. The service documents the record of audio tasks only; those of images and
 * videos are assumed to be alike.
 */
export interface ImageTaskRecord extends TaskRecord {
  /**
   * URL of the first image; null until the task has succeeded.
   * @format uri
   */
  image_url: string | null;
  /** Result of the task; null until it has succeeded. */
  result: {
    /**
     * URL of the first image.
     * @format uri
     */
    image_url: string;
    /** URLs of all images. */
    outputs: string[];
    /** All images. */
    images: {
      /**
       * URL of the image.
       * @format uri
       */
      url: string;
      /** Base64-encoded image, if the service sends no URL. */
      b64_json?: string | undefined;
      /** Prompt as revised by the model. */
      revised_prompt?: string | undefined;
    }[];
  } | null;
}

/**
 * Video task record as sent by the service. The service documents the record of audio tasks only; those of images and
 * videos are assumed to be alike.
 */
export interface VideoTaskRecord extends TaskRecord {
  /**
   * URL of the video; null until the task has succeeded.
   * @format uri
   */
  video_url: string | null;
  /** Result of the task; null until it has succeeded. */
  result: {
    /**
     * URL of the first video.
     * @format uri
     */
    video_url: string;
    /** URLs of all videos. */
    outputs: string[];
    /** All videos. */
    videos: {
      /**
       * URL of the video.
       * @format uri
       */
      url: string;
    }[];
  } | null;
}

/** Music or speech task record as sent by the service. */
export interface AudioTaskRecord extends TaskRecord {
  /**
   * URL of the audio; null until the task has succeeded.
   * @format uri
   */
  audio_url: string | null;
  /** Result of the task; null until it has succeeded. */
  result: {
    /**
     * URL of the first output.
     * @format uri
     */
    audio_url: string;
    /** URLs of all outputs. */
    outputs: string[];
    /** All outputs as objects. */
    audios: {
      /**
       * URL of the audio.
       * @format uri
       */
      url: string;
    }[];
  } | null;
  /** Alternative success shape, sent instead of `result`. */
  output?:
    | {
        /**
         * URL of the audio.
         * @format uri
         */
        audio_url: string;
      }
    | undefined;
}

/** Task record type for each kind of task. */
export interface TaskRecords {
  /** Image task record. */
  image: ImageTaskRecord;
  /** Video task record. */
  video: VideoTaskRecord;
  /** Music or speech task record. */
  audio: AudioTaskRecord;
}

/** The fields that a task has in every state. */
export interface GenerationFields<Kind extends TaskKind = TaskKind> {
  /** Task id. */
  id: string;
  /** Kind of media that the task generates. */
  kind: Kind;
  /** `status` as sent by the service; empty if the record has none. */
  rawStatus: string;
  /** Progress in percent, 0 to 100, if the service reports it. */
  progress?: number | undefined;
  /** Model id, if the service reports it. */
  model?: string | undefined;
  /** Creation time, if the service reports it. */
  createdAt?: Date | undefined;
  /** The record as sent by the service, with all of its fields. */
  raw: TaskRecords[Kind];
}

/** State of a task that has not ended. */
export interface PendingGeneration<
  Kind extends TaskKind = TaskKind,
> extends GenerationFields<Kind> {
  /** Normalized status: the task has not ended. */
  status: 'queued' | 'running';
  /** URLs of the results so far, usually none. */
  urls: string[];
  /** Only a failed task has an error. */
  error?: undefined;
}

/** A finished task with its results: what `wait()` and `generate()` resolve to. */
export interface SucceededGeneration<
  Kind extends TaskKind = TaskKind,
> extends GenerationFields<Kind> {
  /** Normalized status: the task has ended with a result. */
  status: 'succeeded';
  /** URLs of the results, without duplicates. Result URLs are not permanent: download the files soon. */
  urls: [string, ...string[]];
  /** Only a failed task has an error. */
  error?: undefined;
}

/** State of a task that has ended without a result. */
export interface FailedGeneration<Kind extends TaskKind = TaskKind> extends GenerationFields<Kind> {
  /** Normalized status: the task has ended without a result. */
  status: 'failed';
  /** URLs of partial results, usually none. */
  urls: string[];
  /** Why the task failed. */
  error: TaskError;
}

/**
 * State of a task, normalized to one shape for images, videos, music and speech. Compare `status` to know the other
 * fields: a succeeded task has at least one URL, and a failed task an error.
 */
export type Generation<Kind extends TaskKind = TaskKind> =
  | PendingGeneration<Kind>
  | SucceededGeneration<Kind>
  | FailedGeneration<Kind>;

/**
 * Plain JSON to resume a task from any process at any later time; see `gateway.resume`. Contains no API key and no
 * prompt.
 */
export interface Receipt<Kind extends TaskKind = TaskKind> {
  /** Version of the receipt format. */
  v: 1;
  /** Kind of media that the task generates. */
  kind: Kind;
  /** Task id. */
  id: string;
  /** Id of the model, if the submission had a `fallback`. */
  model?: string | undefined;
  /** Idempotency key of the submit request. Resubmitting with the same key never charges twice. */
  idempotencyKey?: string | undefined;
  /** Charge for the task in USD. */
  chargeUsd?: number | undefined;
  /** Time of submission (ISO 8601). */
  submittedAt?: string | undefined;
}

/** The known status words. */
const statusWords: readonly (readonly [TaskStatus, RegExp])[] = [
  ['queued', /^(submitted|queued|pending|not_start)$/i],
  ['running', /^(in_progress|processing|running)$/i],
  ['succeeded', /^(success|succeeded|succeed|completed?|done|finished)$/i],
  ['failed', /^(fail|failed|failure|error|cancell?ed|expired|rejected|aborted)$/i],
];

/** The status that a word of the service stands for; undefined for an unknown word, which counts as `running`. */
export function taskStatusOf(word: string): TaskStatus | undefined {
  return statusWords.find(([, words]) => words.test(word))?.[0];
}

/**
 * Whether a response with this status says that the URL of a result has expired. A poll of its task may return a fresh
 * one.
 */
export const hasExpiredURL = (status: number): boolean => [403, 404, 410].includes(status);
