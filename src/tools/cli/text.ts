import { stripVTControlCharacters, styleText } from 'node:util';

import { redactKeys } from '../../wire/types/redact-key.ts';
import { formatUsd } from '../money.ts';
import { maskKeys } from './arguments.ts';

/** How text is printed. */
export interface Style {
  /** Whether to use colors and symbols. */
  color: boolean;
  /** Width of a line in characters; infinite if lines are not wrapped. */
  width: number;
}

/** Returns text in a format, if colors are used. */
export function paint(style: Style, format: Parameters<typeof styleText>[0], text: string): string {
  return style.color ? styleText(format, text, { validateStream: false }) : text;
}

/** Chooses the style for a stream. `NO_COLOR` and `FORCE_COLOR` take precedence over what the stream supports. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const color = styleText('red', '.', { stream }) !== '.';
  // Very long lines are hard to read.
  const width = stream.isTTY ? Math.min(stream.columns || 80, 120) : Infinity;
  return { color, width };
}

/**
 * Wraps text at spaces and indents every line but the first. A word that is longer than a line, such as a URL, is not
 * split, so that it can be copied.
 */
export function wrap(text: string, indent: number, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && indent + longer.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}

/**
 * Wraps the lines of a message for a terminal. A command at the end of a line gets a line of its own, with breaks that a
 * shell understands, and JSON and indented code stay as they are, so that all of them can be copied.
 */
export function wrapLines(text: string, width: number): string {
  const lines = text.split('\n').map((line) => {
    if (line.length <= width || /^[{\s]/.test(line)) return line;
    const [, before, command] = /^(.*:) (npx polygate .*)$/.exec(line) ?? [];
    return before === undefined || command === undefined
      ? wrap(line, 0, width)
      : `${wrap(before, 0, width)}\n  ${wrapCommand(command, width)}`;
  });
  return lines.join('\n');
}

function wrapCommand(command: string, width: number): string {
  // The shells of Windows have other signs for this.
  if (process.platform === 'win32') return command;
  // An option stays with its value.
  const words = command.match(/(?:--?\w[\w-]* (?!-))?(?:'[^']*'|\\.|[^\s'])+/g) ?? [];
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? word : `${line} ${word}`;
    // Room for the indent and the sign.
    if (line !== '' && longer.length + 4 > width) lines.push(`  ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return lines.join(' \\\n  ');
}

/** Creates a function that removes the API key and control characters, which a service may have sent, from text. */
export function createCleaner(apiKey: string): (text: string) => string {
  const keys = [apiKey.trim()];
  return (text) => maskKeys(redactKeys(cleanText(text), keys, '…'));
}

/** A copy of a record of the service for `--json`, without the API key. */
export function cleanRecord(record: object, apiKey: string): unknown {
  const keys = [apiKey.trim()];
  return JSON.parse(JSON.stringify(record), (_, value: unknown) =>
    typeof value === 'string' ? redactKeys(value, keys, '…') : value,
  );
}

/** Removes the API key from text that arrives in pieces. Holds back what could be the beginning of the key. */
export class KeyRemover {
  readonly #key: string;
  #held = '';

  constructor(apiKey: string) {
    this.#key = apiKey.trim();
  }

  /** What can be printed after this piece. */
  add(piece: string): string {
    const text = redactKeys(this.#held + piece, [this.#key], '…');
    const key = this.#key.toLowerCase();
    // An escaped character takes at most six.
    let at = Math.max(0, text.length - key.length * 6 + 1);
    while (at < text.length && !key.startsWith(unescaped(text.slice(at)).toLowerCase())) at += 1;
    this.#held = text.slice(at);
    return text.slice(0, at);
  }

  /** What is left at the end of the text. */
  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

/** A text without the escapes of a URL, JSON or HTML, and without one that is cut off at its end. */
function unescaped(text: string): string {
  return text
    .replace(/(?:\\(?:u[\da-f]{0,3})?|%[\da-f]?|&(?:#(?:x[\da-f]*|\d*))?)$/i, '')
    .replaceAll(/(?:\\u00|%|&#x)([\da-f]{2});?/gi, (_, hex: string) => `&#${parseInt(hex, 16)};`)
    .replaceAll(/&#(\d{2,3});/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\\(?=\W)/g, '');
}

/** Removes control characters, which a terminal would execute, from text of one line. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** A text as one word of a command that can be pasted into a shell, whatever a service has put into it. */
export function shellWord(text: string): string {
  const clean = cleanText(text);
  return /^[\w.:@/+-]+$/.test(clean) ? clean : `'${clean.replaceAll("'", `'\\''`)}'`;
}

/** Formats amounts for a column, with their decimal points below each other. */
export function alignUsd(amounts: readonly (number | undefined)[]): (string | undefined)[] {
  const texts = amounts.map((usd) => (usd === undefined ? undefined : formatUsd(usd)));
  const width = Math.max(...texts.map((text) => text?.indexOf('.') ?? 0));
  return texts.map((text) => text && ' '.repeat(width - text.indexOf('.')) + text);
}
