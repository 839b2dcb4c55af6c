import { stripVTControlCharacters, styleText } from 'node:util';

const width = Math.min(process.stdout.columns || 80, 80);
const indent = '  ';
const nameWidth = 11;

// styleText adds no colors if stdout is not a terminal or NO_COLOR is set.
export const dim = (text: string): string => styleText('dim', text);
export const bold = (text: string): string => styleText('bold', text);
export const green = (text: string): string => styleText('green', text);
export const red = (text: string): string => styleText('red', text);

/** Removes control characters from text that did not originate here, so that it cannot control the terminal. */
export const plain = (text: string): string => text.replaceAll(/[^\P{Cc}\n]/gu, '');

/** Prints a section title, with the call that the section demonstrates at the right edge. */
export function title(text: string, call = ''): void {
  const gap = call === '' ? 0 : Math.max(2, width - text.length - call.length);
  console.log(`\n${styleText(['bold', 'cyan'], text)}${' '.repeat(gap)}${dim(call)}`);
}

/** Prints a line of columns with these minimum widths. */
export function row(...cells: readonly (readonly [text: string, width: number])[]): void {
  const columns = cells.map(([text, size]) => plain(text).padEnd(size));
  console.log(indent + columns.join('  ').trimEnd());
}

/** Prints a label and a value, and wraps a long value. */
export function field(name: string, value: string): void {
  const margin = indent + ' '.repeat(nameWidth);
  const [first = '', ...rest] = wrap(value, width - margin.length);
  console.log(`${indent}${dim(name.padEnd(nameWidth))}${first}`);
  for (const line of rest) console.log(margin + line);
}

/** Formats USD with as many decimals as needed, but at least two. */
export function usd(amount: number | undefined): string {
  return amount === undefined ? 'unknown' : `$${amount.toFixed(9).replace(/0{1,7}$/, '')}`;
}

/** Formats amounts in USD for a column: aligned at the right, with as many decimals as the most precise one needs. */
export function usdColumn(amounts: readonly number[]): string[] {
  const decimals = Math.max(2, ...amounts.map((amount) => usd(amount).split('.')[1]?.length ?? 0));
  const texts = amounts.map((amount) => `$${amount.toFixed(decimals)}`);
  const size = Math.max(...texts.map(({ length }) => length));
  return texts.map((text) => text.padStart(size));
}

/** Prints what a usual client would have paid: one that sends a lost request again, without a key. */
export function usual(text: string): void {
  field('usually', dim(text));
}

/** Writes streamed text with word wrap. */
export class WordWrapper {
  #column = 0;
  #word = '';

  write(text: string): void {
    for (const part of plain(text).split(/(\s+)/)) {
      if (/\s/.test(part)) this.#flush(part.includes('\n'));
      else this.#word += part;
    }
  }

  end(): void {
    this.#flush(this.#column > 0 || this.#word !== '');
  }

  /** Writes the buffered word, which is complete once whitespace follows it. */
  #flush(endLine: boolean): void {
    if (this.#word !== '') {
      const exceedsLine = this.#column > 0 && this.#column + 1 + this.#word.length > width;
      const gap = exceedsLine ? `\n${indent}` : this.#column === 0 ? indent : ' ';
      process.stdout.write(gap + this.#word);
      this.#column = (gap === ' ' ? this.#column + 1 : indent.length) + this.#word.length;
      this.#word = '';
    }
    if (!endLine) return;
    process.stdout.write('\n');
    this.#column = 0;
  }
}

function wrap(text: string, maxWidth: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const extended = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`;
    const fits = extended === word || stripVTControlCharacters(extended).length <= maxWidth;
    if (fits) lines[lines.length - 1] = extended;
    else lines.push(word);
  }
  return lines;
}
