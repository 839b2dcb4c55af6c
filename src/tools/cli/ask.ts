import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Options of a question. */
interface AskOptions {
  /** Whether what is typed stays invisible. */
  readonly isHidden: boolean;
}

/** Asks a question in the terminal. Ctrl-C ends the process with exit code 130; Ctrl-D returns an empty string. */
export async function ask(question: string, { isHidden }: AskOptions): Promise<string> {
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isHidden ? nothing : process.stderr;
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  // The interface turns off the echo of the terminal. What is typed as soon as the question appears must not be shown.
  if (isHidden) process.stderr.write(question);
  terminal.on('SIGINT', () => {
    process.stderr.write('\n');
    process.exit(130);
  });
  const closed = new Promise<string>((resolve) => {
    terminal.on('close', () => resolve(''));
  });
  try {
    return await Promise.race([terminal.question(isHidden ? '' : question), closed]);
  } finally {
    terminal.close();
    if (isHidden) process.stderr.write('\n');
  }
}
