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

/** The default values, which match the assumptions of the client. */
export const defaultAssumptions: MockAssumptions = {
  A1: 'any',
  A2: 'any',
  A3: 'audio',
  A4: 'completed',
  A5: 'result',
  A6: 'flat',
  A7: 'task',
  A9: 'envelope',
  A10: 'x-request-id',
  A11: 'charge',
  A12: 'charge',
  A13: 'replay',
  A14: 'request',
  A15: 'refund',
  A20: 'off',
  A21: 'null',
  A22: 30,
};
