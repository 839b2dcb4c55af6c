import { stripVTControlCharacters, styleText } from 'node:util';

const width = Math.min(process.stdout.columns || 80, 80);
const indent = '  ';
const nameWidth = 11;

// styleText leaves colours out by itself where stdout is no terminal, or NO_COLOR is set.
export const dim = (text: string): string => styleText('dim', text);
export const bold = (text: string): string => styleText('bold', text);
export const good = (text: string): string => styleText('green', text);
export const bad = (text: string): string => styleText('red', text);

/** Text from elsewhere without what would steer the terminal. */
export const plain = (text: string): string => text.replaceAll(/[^\P{Cc}\n]/gu, '');

/** Begins a section: what it is about, and at the right edge the call that it shows. */
export function title(text: string, call: string): void {
  const gap = Math.max(2, width - text.length - call.length);
  console.log(`\n${styleText(['bold', 'cyan'], text)}${' '.repeat(gap)}${dim(call)}`);
}

/** A line of columns, each at least as wide as told. */
export function row(...cells: readonly (readonly [text: string, width: number])[]): void {
  const columns = cells.map(([text, size]) => plain(text).padEnd(size));
  console.log(indent + columns.join('  ').trimEnd());
}

/** A named fact; a long one goes on below itself. */
export function fact(name: string, value: string): void {
  const margin = indent + ' '.repeat(nameWidth);
  const [first = '', ...rest] = wrap(value, width - margin.length);
  console.log(`${indent}${dim(name.padEnd(nameWidth))}${first}`);
  for (const line of rest) console.log(margin + line);
}

/** USD with as many decimals as it takes, but at least two. */
export function usd(amount: number | undefined): string {
  return amount === undefined ? 'unknown' : `$${amount.toFixed(9).replace(/0{1,7}$/, '')}`;
}

/** The same with its point in one column. */
export function usdColumn(amount: number | undefined): string {
  const [whole = '', decimals] = usd(amount).split('.');
  return decimals === undefined ? whole : `${whole.padStart(5)}.${decimals}`;
}

/** Writes words as they come, with line breaks between words only. */
export class Flow {
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

  /** A word is whole once what follows it has come. */
  #flush(lineEnds: boolean): void {
    if (this.#word !== '') {
      const full = this.#column > 0 && this.#column + 1 + this.#word.length > width;
      const gap = full ? `\n${indent}` : this.#column === 0 ? indent : ' ';
      process.stdout.write(gap + this.#word);
      this.#column = (gap === ' ' ? this.#column + 1 : indent.length) + this.#word.length;
      this.#word = '';
    }
    if (!lineEnds) return;
    process.stdout.write('\n');
    this.#column = 0;
  }
}

function wrap(text: string, room: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`;
    const fits = longer === word || stripVTControlCharacters(longer).length <= room;
    if (fits) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
