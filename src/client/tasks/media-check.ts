import type { TaskKind } from '../../wire/types/tasks/task.ts';

/** How many bytes at the start of a file decide whether it is media. */
export const headBytes = 1_024;

/** The `code` of the error about a file that is no media. Its download can be repeated. */
export const noMediaCode = 'no_media';

/** What decides whether a file is a result: what the task generates, and what its server says about the file. */
interface MediaFile {
  readonly kind: TaskKind;
  readonly contentType: string | null;
}

/** Checks the start of a file while it is received. */
export class MediaCheck {
  readonly #file: MediaFile;
  #head = new Uint8Array();
  #isDecided = false;

  constructor(file: MediaFile) {
    this.#file = file;
  }

  /** Returns what the file is instead of media, as soon as that is known. `received` is undefined at its end. */
  foundInstead(received: Uint8Array | undefined): string | undefined {
    if (this.#isDecided) return undefined;
    if (received) {
      const missing = received.subarray(0, headBytes - this.#head.length);
      const head = new Uint8Array(this.#head.length + missing.length);
      head.set(this.#head);
      head.set(missing, this.#head.length);
      this.#head = head;
      if (head.length < headBytes) return undefined;
    }
    this.#isDecided = true;
    return contentInsteadOfMedia(this.#head, this.#file);
  }
}

/**
 * What a file is that is no image, video or audio; undefined if it is one. Storage responds to some failures with status 200 and
 * a page. The bytes decide, because types are often wrong; the type decides only about text that looks like nothing known.
 */
export function contentInsteadOfMedia(
  head: Uint8Array,
  { kind, contentType }: MediaFile,
): string | undefined {
  if (head.length === 0) return 'an empty file';
  const text = textIn(head)?.trimStart();
  if (text === undefined) return undefined;
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isSvgType = type === 'image/svg+xml';
  if (/^<[a-z_!?]/i.test(text)) {
    const root = rootOf(text);
    // A comment can be longer than what is checked.
    const mayBeSvg = root === 'svg' || (root === undefined && type !== 'text/html');
    if (mayBeSvg && kind === 'image') return undefined;
    return root === 'html' ? 'an HTML page' : 'XML or HTML';
  }
  if (/^(?:\{\s*["}]|\[\s*[[{"\]\dtfn-])/.test(text)) return 'JSON';
  if (isSvgType && kind === 'image') return undefined;
  return /^text\/html$|json$|[/+]xml$/.test(type) ? `a file of the type ${type}` : undefined;
}

/** The text that a file begins with; undefined if it is not a text. No media format begins with text of 1 kB. */
function textIn(head: Uint8Array): string | undefined {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(head);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(head);
  const isBinary = head.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27));
  return isBinary ? undefined : new TextDecoder().decode(head);
}

/** The name of the first element of a text that begins with `<`, without its prefix; undefined if it is not in the text. */
function rootOf(text: string): string | undefined {
  let rest = text;
  for (;;) {
    const end = rest.startsWith('<?') ? '?>' : rest.startsWith('<!--') ? '-->' : undefined;
    if (end === undefined) break;
    const position = rest.indexOf(end);
    if (position < 0) return undefined;
    rest = rest.slice(position + end.length).trimStart();
  }
  // A document type names the first element.
  const [, name] = /^<(?:!doctype\s+)?(?:[\w-]+:)?([\w-]+)/i.exec(rest) ?? [];
  return name?.toLowerCase();
}
