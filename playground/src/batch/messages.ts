/** The programs that a worker can run. */
export type Program = 'usual' | 'polygate';

/** Starts a program in a new worker, together with a port to the page. */
export interface Start {
  program: Program;
  prompts: readonly string[];
  apiKey: string;
  baseURL: string;
  /** The name of the lock of the journal. */
  lockName: string;
  maxUsd?: number | undefined;
}

/** What a program needs from outside its worker: the network, and the disk with its journal. */
export type Call =
  | { kind: 'fetch'; url: string; method: string; headers: [string, string][]; body: string }
  | { kind: 'append'; line: string }
  | { kind: 'read' };

/** The reply to a call. */
export type Reply =
  | { kind: 'response'; status: number; headers: [string, string][]; body: string }
  | { kind: 'appended' }
  | { kind: 'lines'; lines: readonly string[] };

/** How a program ended by itself. */
export type End = { kind: 'done' } | { kind: 'paused' } | { kind: 'failed'; message: string };

/** What a worker sends through its port. */
export type FromWorker =
  | { type: 'call'; id: number; call: Call }
  | { type: 'saved'; prompt: string }
  | { type: 'end'; end: End };

/** What the page sends through the port of a worker. */
export interface ToWorker {
  id: number;
  reply: Reply;
}
