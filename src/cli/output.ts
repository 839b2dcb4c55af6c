import { once } from 'node:events';

/** Exit code after a write to a pipe whose reader has ended, as shells report for SIGPIPE. */
const brokenPipe = 141;

/** Ends the process when what reads the output has ended, as in `polygate models | head -1`. */
export function endWithReader(): void {
  process.stdout.on('error', () => process.exit(brokenPipe));
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
