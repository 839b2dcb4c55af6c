import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { isRecord } from '../../../wire/types/type-guards.ts';
import { parseInteger, parseOptions, printError } from '../arguments.ts';
import { CommandLog } from '../command-log.ts';
import { commandOptions } from '../command-options.ts';
import { runCommand } from '../run-command.ts';
import { createFileServer } from './files.ts';

const command = 'polygate playground';

const help = `Serves the playground: a page that loses responses, kills batches and shows what was charged.

Usage: npx polygate playground [options]

The client and the reference gateway run in the page. It needs no API key and no network, and costs nothing.

Options:
  --port <number>  port to listen on, on this machine only; 0 selects a free port (default: 5180)
  --open           open the page in the browser
  -h, --help       print this help and exit
`;

/** Runs the command. Returns the exit code; undefined if it keeps serving. */
export async function runPlayground(args: string[]): Promise<number | undefined> {
  let isServing = false;
  const code = await runCommand(new CommandLog({ command, isPaid: false }), help, async () => {
    const options = parseOptions(args, commandOptions.playground);
    if (options.help || options.version) return options;
    const port = parseInteger('--port', options.port ?? '5180', 65_535);
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
    return withAdvice(error, port);
  }
  const address = server.address();
  const used = isRecord(address) ? Number(address.port) : port;
  const url = `http://127.0.0.1:${used}/`;
  process.stdout.write(`The playground is at ${url} (press Ctrl-C to stop)\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
  if (opensBrowser) openBrowser(url);
  return undefined;
}

function withAdvice(error: unknown, port: number): unknown {
  const code = isRecord(error) ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new Error(`port ${port} is already in use; --port 0 selects a free one`);
  }
  if (code === 'EACCES') {
    return new Error(`no permission to listen on port ${port}; choose a port above 1023`);
  }
  return error;
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
