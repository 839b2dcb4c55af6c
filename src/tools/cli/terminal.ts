import { once } from 'node:events';
import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

import createSpinner from 'yocto-spinner';
import type { Spinner } from 'yocto-spinner';

import { codeOf } from '../../integrations/node/final-path.ts';
import { lineOf, maskKeys, UsageError, messageOf } from './arguments.ts';
import { paint, styleFor, wrap, wrapLines } from './text.ts';

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
  process.stderr.write(`${wrapLines(text, styleFor(process.stderr).width)}\n`);
}

/** Writes the lines of a failure to stderr: the first one in red, and what follows from it. */
export function noteFailure(lines: readonly string[]): void {
  const style = styleFor(process.stderr);
  const [first = '', ...others] = lines.map((line) => wrapLines(line, style.width));
  process.stderr.write(`${[paint(style, 'red', first), ...others].join('\n')}\n`);
}

/** Prints a one-line error and returns the exit code. Usage errors refer to the help text. */
export function printError(command: string, error: unknown, code: number): number {
  const advice = error instanceof UsageError ? ' (see --help)' : '';
  noteFailure([`${command}: ${maskKeys(lineOf(error))}${advice}`]);
  return code;
}

/** Explains why a server cannot listen on a port; undefined for other errors. */
export function portProblem(error: unknown, port: number): Error | undefined {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new Error(`port ${port} is already in use; --port 0 selects a free one`);
    case 'EACCES':
      return new Error(`no permission to listen on port ${port}; choose a port above 1023`);
    default:
      return undefined;
  }
}

/** Formats rows as columns that are aligned at the left. The last one is wrapped at a width. */
export function columns(rows: readonly (readonly string[])[], width = Infinity): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
  }
  const lines = rows.map((row) => {
    const before = row.slice(0, -1).map((cell, index) => `${cell.padEnd(widths[index] ?? 0)}  `);
    const start = before.join('');
    return (start + wrap(row.at(-1) ?? '', start.length, width)).trimEnd();
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** Width of the spinner and the space after it, and one column that stays free. */
const spinnerWidth = 3;

/** A line at the bottom of a terminal that shows progress. Nothing is printed if stderr is not a terminal. */
export class ProgressLine {
  readonly #spinner: Spinner | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #render: (width: number) => string;

  /** `render` returns the text for a terminal of a width. */
  constructor(render: (width: number) => string) {
    this.#render = render;
    const stream = process.stderr;
    if (!stream.isTTY || process.env.TERM === 'dumb') return;
    // The commands handle signals themselves.
    this.#spinner = createSpinner({ stream, handleSignals: false, text: this.#text() }).start();
    this.#timer = setInterval(() => {
      this.update();
    }, 250);
    // The width is read anew for each update. A terminal that has become narrower shows the next one in full.
    stream.on('resize', this.update);
  }

  /** Draws the line again. */
  readonly update = (): void => {
    if (this.#spinner) this.#spinner.text = this.#text();
  };

  /** Removes the line. */
  stop(): void {
    clearInterval(this.#timer);
    process.stderr.off('resize', this.update);
    this.#spinner?.stop();
  }

  #text(): string {
    const width = (process.stderr.columns || 80) - spinnerWidth;
    return this.#render(width).slice(0, width);
  }
}

/** A duration such as `4 s`, `2:05 min` or `1:30 h`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const two = (count: number) => String(count).padStart(2, '0');
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)} min`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)} h`;
}

/** Asks a question in the terminal, and hides what is typed if `isHidden`. Ctrl-C ends the process with exit code 130; Ctrl-D returns an empty string. */
export async function ask(question: string, { isHidden }: { isHidden: boolean }): Promise<string> {
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

/**
 * Decodes text, and keeps its byte order mark, by which UTF-16 is recognized. Throws a `UsageError` with the advice if it is
 * not UTF-8. A NUL character is never text: it is that of a binary file, or of UTF-16 without a mark.
 */
export function decodeText(bytes: Uint8Array, name: string, advice: string): string {
  const [first, second] = bytes;
  const isUtf16 = first === 0xff && second === 0xfe;
  const encoding = isUtf16 ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  let text: string | undefined;
  try {
    text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Reported below.
  }
  if (text !== undefined && !text.includes('\0')) return text;
  throw new UsageError(`${name} is not UTF-8 text: ${advice}`);
}

/**
 * Reads the text on stdin, without its last line break. Text that a command can do without is not waited for: that of a
 * terminal or a device is not read, and neither is a pipe on which nothing arrives for a while, such as one that a program has
 * left open. Throws a `UsageError` if stdin cannot be read, or is not UTF-8.
 */
export async function readInput({ isRequired }: { isRequired: boolean }): Promise<string> {
  if (!isRequired && !isFileOrPipe()) return '';
  try {
    const { stdin } = process;
    const arrival = once(stdin, 'readable').then(() => true);
    const hasArrived = await Promise.race([arrival, delay(patienceMs, false, { ref: false })]);
    if (!hasArrived && !isRequired) {
      stdin.destroy();
      note(
        'Nothing arrived on stdin, so the prompt is sent alone. With - behind it, stdin is waited for.',
      );
      return '';
    }
    if (!hasArrived && !stdin.isTTY) note('Waiting for stdin.');
    await arrival;
    const text = decodeText(
      await buffer(stdin),
      'stdin',
      'convert text, such as with iconv -f latin1; other data cannot be sent',
    );
    return text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read stdin: ${messageOf(error)}`, { cause: error });
  }
}

/** After this time, a pipe without data is left alone. The program that writes to it may have to start first. */
const patienceMs = 3_000;

/** Whether stdin is a file or a pipe, and not a terminal or a device such as `/dev/null`. */
function isFileOrPipe(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFile() || stats.isFIFO() || stats.isSocket();
  } catch {
    // It is closed.
    return false;
  }
}
