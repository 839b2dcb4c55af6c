import * as z from 'zod/mini';

import type {
  AudioTaskRecord,
  ImageTaskRecord,
  TaskError,
  VideoTaskRecord,
} from '../../types/tasks/task.ts';
import { openString, recordSchema } from '../record-schema.ts';

const taskShape = {
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
};

export const imageTaskRecord = recordSchema<ImageTaskRecord>({
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
});

export const videoTaskRecord = recordSchema<VideoTaskRecord>({
  ...taskShape,
  video_url: z.nullable(z.string()),
  result: z.nullable(
    z.looseObject({
      video_url: z.string(),
      outputs: z.array(z.string()),
      videos: z.array(z.looseObject({ url: z.string() })),
    }),
  ),
});

export const audioTaskRecord = recordSchema<AudioTaskRecord>({
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
});
