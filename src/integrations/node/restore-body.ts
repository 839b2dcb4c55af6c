import type { IncomingMessage } from 'node:http';
import { types } from 'node:util';

import { unchecked } from '../../wire/types/schema.ts';

/** What platforms and body parsers add to a request whose body they have read. */
interface ParsedRequest {
  readonly rawBody?: unknown;
  readonly body?: unknown;
}

/** A body that was read before the handler, and whose bytes are not known. Express responds with its status. */
export class ParsedBodyError extends Error {
  readonly status = 415;
  readonly code = 'body_already_parsed';

  constructor() {
    super(
      'The body was parsed before toNodeHandler, and its bytes are not known. Mount toNodeHandler before body parsers. On Vercel, set the environment variable NODEJS_HELPERS=0; in pages/api of Next.js, export const config = { api: { bodyParser: false } }. If the parser has to stay, let it keep the bytes: express.json({ verify: (req, res, bytes) => { req.rawBody = bytes; } }). Nothing was forwarded.',
    );
  }
}

/**
 * Restores a body that was read before the handler: `rawBody`, as Firebase sets it, or else the parsed `body` if nothing
 * was lost. A length other than that of the request shows repeated names, other notations and invalid characters; large
 * numbers and -0 show themselves. A text that was made to pass nevertheless has the same value for every parser that
 * keeps the last of repeated names. Handlers only see the restored text, so a proxy checks and limits what it forwards.
 *
 * @throws {@link ParsedBodyError} if the bytes cannot be restored.
 */
export function restoreBody(incoming: IncomingMessage): Uint8Array<ArrayBuffer> {
  const { headers, httpVersionMajor } = incoming;
  const length = headers['content-length'];
  const isFramed = httpVersionMajor > 1 || headers['transfer-encoding'] !== undefined;
  if (length === '0' || (length === undefined && !isFramed)) return new Uint8Array();
  const { rawBody, body } = readParsed(incoming);
  // Parsers decompress.
  if (headers['content-encoding'] !== undefined) throw new ParsedBodyError();
  for (const value of [rawBody, body]) {
    if (types.isUint8Array(value) && (length === undefined || value.length === Number(length))) {
      return new Uint8Array(value);
    }
  }
  for (const text of [rawBody, body, jsonOf(body, headers['content-type'])]) {
    if (typeof text !== 'string') continue;
    const bytes = new TextEncoder().encode(text);
    if (bytes.length === Number(length)) return bytes;
  }
  throw new ParsedBodyError();
}

/** On Vercel, reading `body` parses it, which can throw. */
function readParsed(incoming: IncomingMessage): ParsedRequest {
  try {
    const { rawBody, body } = unchecked<ParsedRequest>(incoming);
    return { rawBody, body };
  } catch {
    return {};
  }
}

/** Serializes a parsed body; undefined if another text can have the same value. */
function jsonOf(body: unknown, type = ''): string | undefined {
  if (typeof body !== 'object' || !/^application\/json *(;|$)/i.test(type)) return undefined;
  let isExact = true;
  try {
    const text = JSON.stringify(body, (_, value: unknown) => {
      const isNumber = typeof value === 'number';
      if (isNumber && (Object.is(value, -0) || !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))) {
        isExact = false;
      }
      return value;
    });
    return isExact ? text : undefined;
  } catch {
    // It is nested too deeply, or is no JSON.
    return undefined;
  }
}
