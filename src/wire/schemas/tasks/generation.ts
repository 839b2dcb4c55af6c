import type { Generation, Receipt } from 'polygate';
import * as z from 'zod/mini';

import * as docs from '../docs/tasks.ts';
import { oneOf, recordSchema } from '../record-schema.ts';
import { audioTaskRecord, imageTaskRecord, videoTaskRecord } from './task.ts';

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
