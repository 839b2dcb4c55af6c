import type { ImageTaskRecord, VideoTaskRecord, AudioTaskRecord } from 'polygate';
import * as z from 'zod/mini';

import * as docs from '../docs/tasks.ts';
import { openString, recordSchema } from '../record-schema.ts';

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
