import { once } from 'node:events';

/** Exit code after a write to a pipe whose reader has ended, as shells report for SIGPIPE. */
const brokenPipe = 141;

/**
 * Ends the process when the output pipe was closed, as in `polygate models | head -1`, or when the output cannot be
 * written, such as to a full disk. `fail` reports the reason, and returns the exit code.
 */
export function endWithReader(fail: (error: Error) => number): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(brokenPipe);
    const message = `the output could not be written: ${error.message}`;
    process.exit(fail(Object.assign(new Error(message), { syscall: 'write' })));
  });
  // A message that cannot be printed must not end a command that has paid for something.
  process.stderr.on('error', () => undefined);
}

/** Writes text to stdout, and waits if the reader is slow. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Writes one JSON value to stdout. */
export function printJson(value: unknown): Promise<void> {
  return print(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** Writes a message to stderr. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Formats rows as columns that are aligned at the left. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
  }
  const lines = rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}
