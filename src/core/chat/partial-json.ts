import { parseJson } from '../http/json.ts';

/** What may stand in a string: plain text, one escape, or its end. What does not match has not come whole. */
const inString = /[^"\\]+|"|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
/** What may stand outside of strings; numbers and words may be cut. */
const between = /[[\]{}"]|[\s,:]+|[\w+.-]+/y;

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
  /** The string under way. */
  #string: string | undefined;
  /** The number or word under way. */
  #literal = '';
  /** The piece of an escape at the end of what has come. */
  #rest = '';
  /** Whether nothing more can come: the value is whole, or the text is no JSON. */
  #over = false;

  /** Takes the next piece; false when it changes nothing any more. */
  feed(piece: string): boolean {
    if (this.#over) return false;
    const text = this.#rest + piece;
    let at = 0;
    while (!this.#over && at < text.length) {
      const tokens = this.#string === undefined ? between : inString;
      tokens.lastIndex = at;
      const token = tokens.exec(text)?.[0];
      if (token === undefined) break;
      at += token.length;
      this.#take(token);
    }
    this.#rest = text.slice(at);
    // What is no token is the beginning of an escape, or no JSON.
    if (this.#rest !== '' && !/^\\(u.{0,3})?$/.test(this.#rest)) this.#over = true;
    if (this.#string !== undefined && !this.#awaitsName) this.#put(this.#string);
    return true;
  }

  get #awaitsName(): boolean {
    return this.#key === undefined && this.#open.length > 0;
  }

  #take(token: string): void {
    if (this.#string !== undefined) {
      if (token !== '"') this.#string += token.startsWith('\\') ? parseJson(`"${token}"`) : token;
      else {
        if (this.#awaitsName) this.#key = this.#string;
        else this.#place(this.#string);
        this.#string = undefined;
      }
      return;
    }
    if (/[\w+.-]/.test(token)) {
      this.#literal += token;
      return;
    }
    if (this.#literal !== '') {
      const value = parseJson(this.#literal);
      if (value === undefined) this.#over = true;
      else this.#place(value);
      this.#literal = '';
    }
    if (token === '"') this.#string = '';
    else if (token === '{' || token === '[') {
      const inner = token === '{' ? {} : [];
      this.#put(inner);
      this.#open.push(inner);
      this.#step();
    } else if (token === '}' || token === ']') {
      if (Array.isArray(this.#open.pop()) !== (token === ']')) this.#over = true;
      this.#step();
    }
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
