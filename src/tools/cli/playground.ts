import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join, extname } from 'node:path';

import { isRecord } from '../../wire/types/type-guards.ts';
import { parseInteger, parseOptions } from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { helpOf } from './help.ts';
import { CommandLog, runCommand } from './run-command.ts';
import { portProblem, printError } from './terminal.ts';

const command = 'polygate playground';

const help = () =>
  helpOf('playground', {
    about:
      'Serves the playground: a page that loses responses, kills batches and shows what was charged.',
    usage: ['npx polygate playground [options]'],
    notes: [
      'The client and the reference gateway run in the page. It needs no API key and no network, and costs nothing.',
    ],
  });

/** Runs the command. Returns the exit code; undefined if it keeps serving. */
export async function runPlayground(args: string[]): Promise<number | undefined> {
  let isServing = false;
  const code = await runCommand(new CommandLog({ command, isPaid: false }), help, async () => {
    const options = parseOptions(args, commandOptions.playground);
    if (options.help || options.version) return options;
    const port = parseInteger('--port', options.port, 65_535);
    const failure = await serve(port, options.open === true);
    if (failure !== undefined) return printError(command, failure, 1);
    isServing = true;
    return 0;
  });
  return isServing ? undefined : code;
}

/** Serves the page on loopback until the process is stopped. Returns an error if it cannot. */
async function serve(port: number, opensBrowser: boolean): Promise<unknown> {
  const folder = join(
    dirname(createRequire(import.meta.url).resolve('polygate/package.json')),
    'dist',
    'playground',
  );
  if (!existsSync(join(folder, 'index.html'))) {
    return new Error('the page has not been built; in a clone, run npm run playground:build first');
  }
  const server = createFileServer(folder);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  } catch (error) {
    return portProblem(error, port) ?? error;
  }
  const address = server.address();
  const used = isRecord(address) ? Number(address.port) : port;
  const url = `http://127.0.0.1:${used}/`;
  process.stdout.write(`The playground is at ${url} (press Ctrl-C to stop)\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
  if (opensBrowser) openBrowser(url);
  return undefined;
}

/** Opens a URL as the desktop does. On failure, the printed URL remains. */
function openBrowser(url: string): void {
  const [program, ...args] =
    process.platform === 'win32'
      ? ['cmd', '/c', 'start', url]
      : [process.platform === 'darwin' ? 'open' : 'xdg-open', url];
  if (program === undefined) return;
  spawn(program, args, { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

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
