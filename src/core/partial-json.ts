import { parseJson } from './error-body.ts';

/**
 * Reads JSON that comes in pieces, and has at any time what they say so far. Each character is looked at once, however
 * the text is cut, and the value is built in place. An object or a list becomes what `JSON.parse` makes of it; of other
 * text it takes what it can until it can make nothing of it, and it never throws.
 */
export class PartialJson {
  /** What the pieces say so far; the same object grows with each of them. Undefined before there is anything. */
  value: unknown;
  /** Objects and lists that are still open, the innermost last. */
  readonly #open: object[] = [];
  /** Where the next value goes; undefined where a name must come first. */
  #key: PropertyKey | undefined;
  /** The string under way, as far as it can be read. */
  #string = '';
  #quoted = false;
  /** The first half of a character at its end, which is nothing before the second half is here. */
  #half = '';
  #escape = '';
  /** The number or word under way. */
  #literal = '';
  /** Whether nothing more can come: the value is whole, or the text is no JSON. */
  #over = false;

  /** Takes the next piece; false when it changes nothing any more. */
  feed(piece: string): boolean {
    if (this.#over) return false;
    for (let at = 0; at < piece.length && !this.#over;) {
      at = this.#quoted ? this.#within(piece, at) : this.#between(piece, at);
    }
    if (this.#quoted && !this.#isName) this.#put(this.#string);
    return true;
  }

  /** Whether the string that comes, or is under way, is a name. */
  get #isName(): boolean {
    return this.#key === undefined && this.#open.length > 0;
  }

  /** Reads on where no string is under way. */
  #between(piece: string, at: number): number {
    literal.lastIndex = at;
    const [more] = literal.exec(piece) ?? [''];
    this.#literal += more;
    if (more !== '') return at + more.length;
    if (this.#literal !== '') {
      const value = parseJson(this.#literal);
      if (value === this.#literal) this.#over = true;
      else this.#place(value);
      this.#literal = '';
      return at;
    }
    const sign = piece.charAt(at);
    if (sign === '"') this.#quoted = true;
    else if (sign === '{' || sign === '[') {
      const inner = sign === '{' ? {} : [];
      this.#put(inner);
      this.#open.push(inner);
      this.#step();
    } else if (sign === '}' || sign === ']') {
      if (Array.isArray(this.#open.pop()) !== (sign === ']')) this.#over = true;
      this.#step();
    } else if (!/[\s,:]/.test(sign)) this.#over = true;
    return at + 1;
  }

  /** Reads on in a string. */
  #within(piece: string, at: number): number {
    if (this.#escape !== '') {
      this.#escape += piece.charAt(at);
      if (this.#escape.length === (this.#escape.charAt(1) === 'u' ? 6 : 2)) {
        const quoted = `"${this.#escape}"`;
        const text = parseJson(quoted);
        if (typeof text !== 'string' || text === quoted) this.#over = true;
        else this.#append(text);
        this.#escape = '';
      }
      return at + 1;
    }
    special.lastIndex = at;
    const end = special.exec(piece)?.index ?? piece.length;
    this.#append(piece.slice(at, end));
    if (piece.charAt(end) === '\\') this.#escape = '\\';
    else if (end < piece.length) this.#close();
    return end + 1;
  }

  #append(more: string): void {
    const text = this.#half + more;
    const whole = /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
    this.#half = text.slice(whole);
    this.#string += text.slice(0, whole);
  }

  #close(): void {
    const text = this.#string + this.#half;
    const isName = this.#isName;
    this.#quoted = false;
    this.#string = '';
    this.#half = '';
    if (isName) this.#key = text;
    else this.#place(text);
  }

  /** Puts a value that is whole. */
  #place(value: unknown): void {
    this.#put(value);
    this.#step();
  }

  /** Puts a value where it belongs; defined, not assigned, so that no name can reach a prototype. */
  #put(value: unknown): void {
    const inner = this.#open.at(-1);
    if (inner === undefined) this.value = value;
    else if (this.#key === undefined) this.#over = true;
    else {
      const field = { value, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(inner, this.#key, field);
    }
  }

  /** A value is whole, or a new list or object begins. */
  #step(): void {
    const inner = this.#open.at(-1);
    this.#key = Array.isArray(inner) ? inner.length : undefined;
    if (inner === undefined) this.#over = true;
  }
}

const literal = /[\w+.-]*/y;
const special = /["\\]/g;
