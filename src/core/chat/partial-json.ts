import { parseJson } from '../http/json.ts';

/** A token inside a string: plain text, the closing quote or an escape. An incomplete escape does not match. */
const stringToken = /[^"\\]+|"|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
/** A token outside strings. A number or keyword may be incomplete. */
const structureToken = /[[\]{}"]|[\s,:]+|[\w+.-]+/y;

/**
 * Parses JSON that arrives in pieces and provides the value parsed so far at any time. Each character is processed
 * once, no matter how the text is split, and the value is built in place. A complete object or array equals the result
 * of `JSON.parse`. Invalid text never throws: parsing stops at it and keeps the value parsed before it.
 */
export class PartialJson {
  /** The value parsed so far, which grows in place; undefined before the first value begins. */
  value: unknown;
  /** Open objects and arrays, the innermost last. */
  readonly #containers: object[] = [];
  /** Key of the next value in the innermost container; undefined in an object whose next key has not been read. */
  #key: PropertyKey | undefined;
  /** The string being read. */
  #string: string | undefined;
  /** The number or keyword being read. */
  #literal = '';
  /** An incomplete escape at the end of the last piece. */
  #incompleteEscape = '';
  /** Whether the value is complete or the text is invalid. */
  #ended = false;

  /** Parses the next piece. Returns false if parsing had already ended. */
  feed(piece: string): boolean {
    if (this.#ended) return false;
    const text = this.#incompleteEscape + piece;
    let position = 0;
    while (!this.#ended && position < text.length) {
      const pattern = this.#string === undefined ? structureToken : stringToken;
      pattern.lastIndex = position;
      const token = pattern.exec(text)?.[0];
      if (token === undefined) break;
      position += token.length;
      if (this.#string === undefined) this.#readStructure(token);
      else this.#readString(this.#string, token);
    }
    this.#incompleteEscape = text.slice(position);
    // Text that is not a token is either the beginning of an escape or invalid.
    if (this.#incompleteEscape !== '' && !/^\\(u.{0,3})?$/.test(this.#incompleteEscape)) {
      this.#ended = true;
    }
    if (this.#string !== undefined && !this.#expectsKey) this.#assign(this.#string);
    return true;
  }

  get #expectsKey(): boolean {
    return this.#key === undefined && this.#containers.length > 0;
  }

  #readString(text: string, token: string): void {
    if (token !== '"') {
      this.#string = text + (token.startsWith('\\') ? parseJson(`"${token}"`) : token);
      return;
    }
    if (this.#expectsKey) this.#key = text;
    else this.#assignComplete(text);
    this.#string = undefined;
  }

  #readStructure(token: string): void {
    if (/[\w+.-]/.test(token)) {
      this.#literal += token;
      return;
    }
    if (this.#literal !== '') {
      this.#assignComplete(parseJson(this.#literal));
      this.#literal = '';
    }
    if (token === '"') this.#string = '';
    else if (token === '{' || token === '[') {
      const container = token === '{' ? {} : [];
      this.#assign(container);
      this.#containers.push(container);
      this.#advance();
    } else if (token === '}' || token === ']') {
      if (Array.isArray(this.#containers.pop()) !== (token === ']')) this.#ended = true;
      this.#advance();
    }
  }

  #assignComplete(value: unknown): void {
    this.#assign(value);
    this.#advance();
  }

  /** Stores a value under the current key; undefined is one that is not JSON. The property is defined, not set, so that no key can reach a prototype. */
  #assign(value: unknown): void {
    const container = this.#containers.at(-1);
    if (container === undefined) this.value = value;
    else if (this.#key === undefined || value === undefined) this.#ended = true;
    else {
      const property = { value, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(container, this.#key, property);
    }
  }

  /** Moves on to the next key, after a complete value or the beginning of a container. */
  #advance(): void {
    const container = this.#containers.at(-1);
    this.#key = Array.isArray(container) ? container.length : undefined;
    if (container === undefined) this.#ended = true;
  }
}
