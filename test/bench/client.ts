/** A client to measure: a factory per kind of work it supports, each taking the base URL of the server. */
export interface Client {
  /** Sends a chat request and returns the text of the completion. */
  readonly request?: (base: string) => () => Promise<string>;
  /** Streams a chat completion and calls `onText` with the text of each chunk. */
  readonly stream?: (base: string) => (onText: (text: string) => void) => Promise<void>;
  /** Polls a task every `interval` ms until it has ended, and returns the URL of its result. */
  readonly wait?: (base: string, interval: number) => (id: string) => Promise<string>;
  /** Submits a task, then waits for it like `wait`. */
  readonly submit?: (base: string, interval: number) => () => Promise<string>;
}

/** The clients that send single requests, and the baseline. */
export const requestClients = [
  'raw',
  'polygate',
  'ky',
  'openai',
  'ai-sdk',
  'openrouter',
  'fal',
  'replicate',
  'runway',
];

export const key = 'sk-bench-0123456789';

/** The messages that every chat client sends. */
export const messages = [
  {
    role: 'system' as const,
    content: 'Answer briefly and in plain language.',
  },
  {
    role: 'user' as const,
    content: 'Describe the working habits of a writer who lives in a hotel.',
  },
];

/** The same text for clients without chat support. */
export const prompt = messages.map(({ content }) => content).join('\n');

/** The fields of a completion that are checked. */
export interface Completion {
  choices: { message: { content: string } }[];
}

/** The fields of a chunk that are checked. */
export interface Chunk {
  choices: { delta: { content?: string } }[];
}
