#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs, styleText } from 'node:util';

import { nearestName } from '../../schemas/nearest-name.ts';
import { isRecord } from '../../schemas/type-guards.ts';
import { createMockGateway } from '../index.ts';
import type { MockGateway } from '../index.ts';
import { listen } from './index.ts';
import type { MockServer } from './index.ts';
import { logLine } from './log-line.ts';

const help = `Starts the reference gateway on this machine. Requests cost nothing.

Usage: npx polygate-mock [options]

Options:
  --port <number>  port to listen on; 0 selects a free port (default: 8787)
  --host <host>    host name or IP address to listen on (default: 127.0.0.1)
  --key <sk-...>   API key to accept; repeat the option for more keys (default: sk-mock-demo)
  --latency <ms>   delay before each response (default: 0)
  --seed <text>    the same seed produces the same ids, texts and images (default: 1)
  --version        print the version and exit
  -h, --help       print this help and exit
`;

/** The parsed command-line arguments. */
interface Arguments {
  port: number;
  host: string;
  keys: string[];
  latencyMs: number;
  seed: string;
  help: boolean;
  version: boolean;
}

const textOption = { type: 'string' } as const;
const knownOptions = {
  port: textOption,
  host: textOption,
  key: { type: 'string', multiple: true },
  latency: textOption,
  seed: textOption,
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** Parses the arguments, or throws an error with a one-line message if they are invalid. */
function parseArguments(args: string[]): Arguments {
  rejectUnknownOptions(args);
  const { values } = parseArgs({ args, options: knownOptions });
  const keys = values.key ?? [];
  if (keys.some((key) => !/^sk-[!-~]+$/.test(key))) {
    throw new Error('--key must be sk- followed by visible ASCII characters');
  }
  return {
    port: integerOption('--port', values.port ?? '8787', 65_535),
    host: values.host ?? '127.0.0.1',
    keys,
    latencyMs: integerOption('--latency', values.latency ?? '0', 3_600_000),
    seed: values.seed ?? '1',
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

/** Throws an error that names the first unknown option, and the known one closest to it. */
function rejectUnknownOptions(args: string[]): void {
  const { tokens } = parseArgs({ args, options: knownOptions, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(knownOptions, token.name)) continue;
    const nearest = nearestName(token.name, Object.keys(knownOptions));
    const advice = nearest === undefined ? '' : `; did you mean --${nearest}?`;
    throw new Error(`unknown option ${token.rawName}${advice}`);
  }
}

function integerOption(name: string, text: string, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Infinity;
  if (number <= max) return number;
  throw new Error(`${name} must be an integer from 0 to ${max}, not ${text}`);
}

function greeting(mock: MockGateway, baseURL: string): string {
  return `polygate reference gateway ${version()} is listening on ${baseURL} (press Ctrl-C to stop)

To use it with polygate:

  export POLYGATE_BASE_URL=${baseURL}
  export POLYGATE_API_KEY=${mock.apiKey}

To use it with another OpenAI-compatible client:

  export OPENAI_BASE_URL=${baseURL}/v1
  export OPENAI_API_KEY=${mock.apiKey}

To see wallets and tasks, open ${baseURL}/
`;
}

/** Returns the version in package.json. The built file, `dist/mock/cli.js`, is one folder closer to it. */
function version(): string {
  const root = import.meta.url.endsWith('.ts') ? '../../../' : '../../';
  const text = readFileSync(new URL(`${root}package.json`, import.meta.url), 'utf8');
  const manifest: unknown = JSON.parse(text);
  return isRecord(manifest) ? String(manifest.version) : '';
}

/** Runs the command. Returns the exit code, or undefined if the gateway is running. */
async function main(args: string[]): Promise<number | undefined> {
  let options: Arguments;
  try {
    options = parseArguments(args);
  } catch (error) {
    return printError(error, 2);
  }
  if (options.help || options.version) {
    process.stdout.write(options.help ? help : `${version()}\n`);
    return 0;
  }
  const mock = createMockGateway({
    keys: options.keys.length > 0 ? options.keys.map((key) => ({ key })) : undefined,
    latencyMs: options.latencyMs,
    seed: options.seed,
    chunkDelayMs: 25,
    history: 1000,
    onResponse: (exchange) => {
      const color = exchange.status >= 500 ? 'red' : exchange.status >= 400 ? 'yellow' : 'reset';
      console.log(styleText(color, logLine(exchange, new Date())));
    },
  });
  let server: MockServer;
  try {
    server = await listen(mock, { port: options.port, host: options.host, cors: true });
  } catch (error) {
    return printError(withAdvice(error, options), 1);
  }
  console.log(greeting(mock, server.baseURL));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void server.close().then(() => process.exit(0));
    });
  }
  return undefined;
}

/** Adds advice to system errors that the user can fix. */
function withAdvice(error: unknown, { port, host }: Arguments): unknown {
  switch (isRecord(error) ? error.code : undefined) {
    case 'EADDRINUSE':
      return new Error(`port ${port} is already in use; --port 0 selects a free one`);
    case 'EACCES':
      return new Error(`no permission to listen on port ${port}; choose a port above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`${host} is not an address of this machine`);
    default:
      return error;
  }
}

function printError(error: unknown, code: number): number {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  process.stderr.write(`polygate-mock: ${line} (see --help)\n`);
  return code;
}

const code = await main(process.argv.slice(2));
if (code !== undefined) process.exitCode = code;
