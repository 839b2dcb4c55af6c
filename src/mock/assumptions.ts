/**
 * A switch for each gap of the specification that has more than one sensible answer. The ids are
 * those of the client's `assumptions` list.
 */
export interface MockAssumptions {
  /**
   * The only path that polls a video; by default each of them does, and answers carry a `Location`.
   */
  A1: 'any' | 'videos' | 'video/generations' | 'videos/generations';
  /**
   * The only path that polls an image; by default each of them does, and answers carry a
   * `Location`.
   */
  A2: 'any' | 'images/tasks' | 'images/generations';
  /**
   * The form of image and video records: an audio task's, or one in OpenAI's style with a number for
   * the progress and the files in `data[].url`.
   */
  A3: 'audio' | 'openai';
  /** The status word of success, or the words of `raw_status` for every status. */
  A4: 'completed' | 'succeeded' | 'raw';
  /** Where an audio task carries its URL besides `audio_url`. */
  A5: 'result' | 'output';
  /** Whether task records come inside another object. */
  A6: 'flat' | 'data' | 'task';
  /** Whether an image submit answers with a task, or waits and answers 200 with `data[].url`. */
  A7: 'task' | 'finished';
  /** The form of error bodies. */
  A9: 'envelope' | 'string' | 'flat' | 'detail' | 'success' | 'html';
  /** The header that carries a request id, besides `x-request-id`. */
  A10: string;
  /** What a key that is used again does to a chat. */
  A11: 'charge' | 'replay';
  /** What a key that is used again does to a voice clone or design. */
  A12: 'charge' | 'replay';
  /** What a generation key does that comes again with another body. */
  A13: 'replay' | 'conflict';
  /** Whether a slot is held for the request only, or until its task has ended. */
  A14: 'request' | 'task';
  /** Whether a failed task is refunded. */
  A15: 'refund' | 'keep';
  /** Whether usage records, cost estimate, image edits and interactions answer. */
  A20: 'off' | 'on';
  /** What `next_cursor` is on the last page. */
  A21: 'null' | 'absent';
  /** How long a verification URL works, minutes. */
  A22: number;
}

/** The answers that the client assumes as well. */
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
