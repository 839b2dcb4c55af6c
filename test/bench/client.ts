/** A client as it is measured: the work that it can do, each made from the address of the server. */
export interface Client {
  /** Asks for a whole answer, and gives its text. */
  readonly request?: (base: string) => () => Promise<string>;
  /** Asks for a streamed answer, and hands over each piece of text. */
  readonly stream?: (base: string) => (each: (text: string) => void) => Promise<void>;
  /** Waits until a task is over, and gives the URL of its result. */
  readonly wait?: (base: string) => (id: string) => Promise<string>;
  /** Streams with fewer chunks, for a client that takes its time for each. */
  readonly few?: boolean;
}

export const key = 'sk-bench-0123456789';

/** What every client asks. */
export const messages = [
  {
    role: 'system' as const,
    content: 'You answer in plain words, and in no more of them than it takes.',
  },
  {
    role: 'user' as const,
    content: 'Tell me about the working habits of the writer in the hotel.',
  },
];

/** What a client that is not made for chat asks. */
export const prompt = messages.map(({ content }) => content).join('\n');

/** Time between two polls of a task, ms. */
export const interval = 2_000;

/** An answer as it must be, of whatever client. */
export interface Completion {
  choices: { message: { content: string } }[];
}

/** A chunk as it must be. */
export interface Chunk {
  choices: { delta: { content?: string } }[];
}
