import { parseJson } from '../http/json.ts';

/** A token inside a string: plain text, the closing quote or an escape. An incomplete escape does not match. */
const stringToken = /[^"\\]+|"|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
/** A token outside strings. A number or keyword may be incomplete. */
const structureToken = /[[\]{}"]|[\s,:]+|[\w+.-]+/y;

/** The first line of a fenced block, which some models put their JSON into. */
const fence = /^\s*```\w*[^\S\n]*\n/;
/** More than the length of such a line. */
const maxFence = 100;

/**
 * Creates a parser of JSON that arrives in pieces. It takes the next piece and returns the value parsed so far, which
 * grows in place; undefined before the first value begins, and once parsing has ended because the value is complete or
 * the text is invalid. Each character is processed once, no matter how the text is split. A complete object or array
 * equals the result of `JSON.parse`. It may be in a fenced block. Invalid text never throws: the value parsed before it stays as it is.
 */
export function partialJsonParser(): (piece: string) => unknown {
  const root: unknown[] = [];
  /** Open arrays and objects, the innermost last. The first item of the outermost one is the value. */
  const containers: object[] = [root];
  /** Key of the next value in the innermost container; undefined in an object whose next key has not been read. */
  let key: PropertyKey | undefined = 0;
  /** What is being read: a string, or anything else. */
  let pattern = structureToken;
  /** The part of a string, number or keyword that has been read. */
  let text = '';
  /** An incomplete escape at the end of the last piece. */
  let rest = '';
  let ended = false;
  /** The text so far, while it may be the beginning of a fenced block. */
  let start: string | undefined = '';

  return (piece) => {
    if (ended) return undefined;
    if (start === undefined) rest += piece;
    else {
      start += piece;
      if (start.length < maxFence && /^\s*(`{1,2}|```\w*[^\S\n]*)?$/.test(start)) return undefined;
      rest = start.replace(fence, '');
      start = undefined;
    }
    let position = 0;
    while (!ended) {
      pattern.lastIndex = position;
      const token = pattern.exec(rest)?.[0];
      if (token === undefined) break;
      position += token.length;
      if (pattern === structureToken) readStructure(token);
      else if (token === '"') {
        if (key === undefined) key = text;
        else assignComplete(text);
        text = '';
        pattern = structureToken;
      } else text += token.startsWith('\\') ? parseJson(`"${token}"`) : token;
    }
    rest = rest.slice(position);
    // Text that is not a token is either the beginning of an escape or invalid.
    ended ||= !/^(\\(u.{0,3})?)?$/.test(rest);
    if (pattern === stringToken && key !== undefined) assign(text);
    return root[0];
  };

  function readStructure(token: string): void {
    if (/[\w+.-]/.test(token)) {
      text += token;
      return;
    }
    if (text !== '') assignComplete(parseJson(text));
    text = '';
    if (token === '"') pattern = stringToken;
    else if (token === '{' || token === '[') {
      const container = token === '{' ? {} : [];
      assign(container);
      containers.push(container);
      advance();
    } else if (token === '}' || token === ']') {
      ended ||= Array.isArray(containers.pop()) !== (token === ']');
      advance();
    }
  }

  function assignComplete(value: unknown): void {
    assign(value);
    advance();
  }

  /**
   * Stores a value under the current key; undefined is one that is not JSON. The property is defined, not set, so that
   * no key can reach a prototype.
   */
  function assign(value: unknown): void {
    if (key === undefined || value === undefined) ended = true;
    else
      Object.defineProperty(containers.at(-1), key, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }

  /** Moves on to the next key, after a complete value or the beginning of a container. */
  function advance(): void {
    const container = containers.at(-1);
    key = Array.isArray(container) ? container.length : undefined;
    ended ||= containers.length < 2;
  }
}
