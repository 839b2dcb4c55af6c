import * as z from 'zod/mini';

/**
 * Switches for gaps in the specification that services may fill differently. The ids are those of the
 * client's `assumptions` list.
 */
export interface MockAssumptions {
  /** The video poll path that works. With `'any'`, all of them work and submit responses have a `Location`. */
  A1: 'any' | 'videos' | 'video/generations' | 'videos/generations';
  /** The image poll path that works. With `'any'`, all of them work and submit responses have a `Location`. */
  A2: 'any' | 'images/tasks' | 'images/generations';
  /**
   * The shape of image and video task records: that of audio tasks, or an OpenAI-style shape with
   * numeric progress and the files in `data[].url`.
   */
  A3: 'audio' | 'openai';
  /** The status value for success; `'raw'` uses the values of `raw_status` for every status. */
  A4: 'completed' | 'succeeded' | 'raw';
  /** The field of an audio task that contains the URL, besides `audio_url`. */
  A5: 'result' | 'output';
  /** The field that wraps task records, if any. */
  A6: 'flat' | 'data' | 'task';
  /** Whether POST /v1/images/generations returns a task, or waits and returns 200 with `data[].url`. */
  A7: 'task' | 'finished';
  /** The shape of error bodies. */
  A9: 'envelope' | 'string' | 'flat' | 'detail' | 'success' | 'html';
  /** The response header that carries the request id, besides `x-request-id`. */
  A10: string;
  /** Whether a chat request with a reused idempotency key is charged again. */
  A11: 'charge' | 'replay';
  /** Whether a voice clone or design with a reused idempotency key is charged again. */
  A12: 'charge' | 'replay';
  /** Whether a generation key reused with a different body replays the task or returns a 409. */
  A13: 'replay' | 'conflict';
  /** Whether a slot is held for the duration of the request, or until its task has ended. */
  A14: 'request' | 'task';
  /** Whether a failed task is refunded. */
  A15: 'refund' | 'keep';
  /** Whether the endpoints for usage records, cost estimates, image edits and interactions exist. */
  A20: 'off' | 'on';
  /** Whether `next_cursor` is null or absent on the last page. */
  A21: 'null' | 'absent';
  /** Lifetime of a verification URL in minutes. */
  A22: number;
}

/** The values of each switch, with its default. They match the assumptions of the client. */
export const mockAssumptions = z.object({
  A1: oneOf('any', 'videos', 'video/generations', 'videos/generations'),
  A2: oneOf('any', 'images/tasks', 'images/generations'),
  A3: oneOf('audio', 'openai'),
  A4: oneOf('completed', 'succeeded', 'raw'),
  A5: oneOf('result', 'output'),
  A6: oneOf('flat', 'data', 'task'),
  A7: oneOf('task', 'finished'),
  A9: oneOf('envelope', 'string', 'flat', 'detail', 'success', 'html'),
  A10: z.prefault(
    z.string().check(z.regex(/^[\w-]+$/, 'must be the name of a header')),
    'x-request-id',
  ),
  A11: oneOf('charge', 'replay'),
  A12: oneOf('charge', 'replay'),
  A13: oneOf('replay', 'conflict'),
  A14: oneOf('request', 'task'),
  A15: oneOf('refund', 'keep'),
  A20: oneOf('off', 'on'),
  A21: oneOf('null', 'absent'),
  A22: z.prefault(z.number('must be a number of minutes'), 30),
}) satisfies z.ZodMiniType<MockAssumptions>;

/** A switch with the given values. The first one is the default. */
function oneOf<const Values extends readonly [string, ...string[]]>(...values: Values) {
  return z.prefault(z.enum(values), values[0]);
}
