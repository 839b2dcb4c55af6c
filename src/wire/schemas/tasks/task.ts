import type {
  ImageTaskRecord,
  VideoTaskRecord,
  AudioTaskRecord,
  Generation,
  Receipt,
} from 'polygate';
import * as z from 'zod/mini';

import * as docs from '../docs/tasks.ts';
import { openString, recordSchema, oneOf } from '../record-schema.ts';

const taskShape = {
  id: z.string(),
  task_id: z.string(),
  object: openString<'image.generation.job'>(),
  status: openString<'queued'>(),
  raw_status: openString<'SUBMITTED'>(),
  progress: z.string(),
  error: z.nullable(
    recordSchema(docs.taskError, { message: z.string(), code: z.optional(z.string()) }),
  ),
  model: z.optional(z.string()),
  created_at: z.optional(z.number()),
  poll_url: z.optional(z.string()),
};

/** An image task as the service sends it. Unknown fields are kept. */
export const imageTaskRecord: z.ZodMiniType<ImageTaskRecord, ImageTaskRecord> = recordSchema(
  docs.imageTaskRecord,
  {
    ...taskShape,
    image_url: z.nullable(z.string()),
    result: z.nullable(
      recordSchema(docs.imageTaskRecordResult, {
        image_url: z.string(),
        outputs: z.array(z.string()),
        images: z.array(
          recordSchema(docs.imageTaskRecordResultImages, {
            url: z.string(),
            b64_json: z.optional(z.string()),
            revised_prompt: z.optional(z.string()),
          }),
        ),
      }),
    ),
  },
);

/** A video task as the service sends it. Unknown fields are kept. */
export const videoTaskRecord: z.ZodMiniType<VideoTaskRecord, VideoTaskRecord> = recordSchema(
  docs.videoTaskRecord,
  {
    ...taskShape,
    video_url: z.nullable(z.string()),
    result: z.nullable(
      recordSchema(docs.videoTaskRecordResult, {
        video_url: z.string(),
        outputs: z.array(z.string()),
        videos: z.array(recordSchema(docs.videoTaskRecordResultVideos, { url: z.string() })),
      }),
    ),
  },
);

/** A music or speech task as the service sends it. Unknown fields are kept. */
export const audioTaskRecord: z.ZodMiniType<AudioTaskRecord, AudioTaskRecord> = recordSchema(
  docs.audioTaskRecord,
  {
    ...taskShape,
    audio_url: z.nullable(z.string()),
    result: z.nullable(
      recordSchema(docs.audioTaskRecordResult, {
        audio_url: z.string(),
        outputs: z.array(z.string()),
        audios: z.array(recordSchema(docs.audioTaskRecordResultAudios, { url: z.string() })),
      }),
    ),
    output: z.optional(recordSchema(docs.audioTaskRecordOutput, { audio_url: z.string() })),
  },
);

const kind = z.enum(['image', 'video', 'audio']);

const shape = {
  id: z.string(),
  kind,
  rawStatus: z.string(),
  progress: z.optional(z.number()),
  model: z.optional(z.string()),
  createdAt: z.optional(date()),
  raw: z.union([imageTaskRecord, videoTaskRecord, audioTaskRecord]),
};

const noError = z.optional(z.never());

/** The state of a task, as `retrieve()` and `wait()` return it. */
export const generation: z.ZodMiniType<Generation, Generation> = oneOf('status', [
  recordSchema(docs.pendingGeneration, {
    ...shape,
    status: z.enum(['queued', 'running']),
    urls: z.array(z.string()),
    error: noError,
  }),
  recordSchema(docs.succeededGeneration, {
    ...shape,
    status: z.literal('succeeded'),
    urls: z.tuple([z.string()], z.string()),
    error: noError,
  }),
  recordSchema(docs.failedGeneration, {
    ...shape,
    status: z.literal('failed'),
    urls: z.array(z.string()),
    error: recordSchema(docs.taskError, { message: z.string(), code: z.optional(z.string()) }),
  }),
]);

/** The plain JSON with which any process can resume a task. */
export const receipt: z.ZodMiniType<Receipt, Receipt> = recordSchema(docs.receipt, {
  v: z.literal(1),
  kind,
  id: z.string(),
  model: z.optional(z.string()),
  idempotencyKey: z.optional(z.string()),
  chargeUsd: z.optional(z.number()),
  submittedAt: z.optional(z.string()),
});

/** A date. JSON has none, so a JSON schema describes what `JSON.stringify` makes of it. */
function date(): z.ZodMiniType<Date, Date> {
  const schema = z.date();
  const { _zod: internals } = schema;
  internals.toJSONSchema = () => ({ type: 'string', format: 'date-time' });
  return schema;
}
