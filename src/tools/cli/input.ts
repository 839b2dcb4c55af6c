import { once } from 'node:events';
import { fstatSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

import { messageOf, UsageError } from './arguments.ts';
import { note } from './terminal.ts';

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
