import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';

import { isRecord } from '../../../wire/types/type-guards.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/plain; charset=utf-8',
};

/** The page needs nothing but its own files: the gateway runs in it, so it makes no requests. */
const headers = {
  'content-security-policy': [
    "default-src 'self'",
    'img-src * data: blob:',
    "media-src 'self' data: blob:",
    "style-src 'self' 'unsafe-inline'",
    "frame-ancestors 'self'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};

/** Creates a server for the files of a folder. */
export function createFileServer(folder: string): Server {
  return createServer((request, response) => {
    void respond(folder, request, response);
  });
}

async function respond(
  folder: string,
  { method = 'GET', url = '/' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = fileNameOf(url);
  if (method !== 'GET' && method !== 'HEAD') return end(response, 405, 'Only GET is supported.');
  if (name === undefined) return end(response, 404, 'There is no such file.');
  try {
    const content = await readFile(join(folder, name));
    const type = types[extname(name)] ?? 'application/octet-stream';
    response.writeHead(200, {
      ...headers,
      'content-type': type,
      'content-length': content.byteLength,
    });
    response.end(method === 'HEAD' ? undefined : content);
  } catch (error) {
    const isMissing = isRecord(error) && (error.code === 'ENOENT' || error.code === 'EISDIR');
    end(response, isMissing ? 404 : 500, isMissing ? 'There is no such file.' : 'Failed to read.');
  }
}

/** The file of a URL, relative to the folder; undefined unless its path consists of plain names, so that it stays there. */
function fileNameOf(url: string): string | undefined {
  const [path = '/'] = url.split(/[?#]/);
  const name = path === '/' ? '/index.html' : path;
  return /^(\/[\w-][\w.-]*)+$/.test(name) ? name.slice(1) : undefined;
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
