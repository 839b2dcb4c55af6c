#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs, styleText } from 'node:util';

import { isRecord } from '../../schemas/record.ts';
import { createMockGateway } from '../index.ts';
import type { MockGateway } from '../index.ts';
import { logLine } from './log-line.ts';
import { listen } from './index.ts';
import type { Listening } from './index.ts';

const help = `Starts the reference gateway: everything works, nothing costs anything.

  npx polygate-mock [options]

  --port <number>     port to listen on; 0 takes any free one (8787)
  --host <name>       address to listen on (127.0.0.1)
  --key <sk-…>        API key that it accepts; may be given more than once (sk-mock-demo)
  --latency <ms>      answers come this much later (0)
  --seed <text>       same seed, same ids, texts and pictures (1)
  --version           the version of polygate
  --help              this text
`;

/** What the arguments say. */
interface Arguments {
  port: number;
  host: string;
  keys: string[];
  latencyMs: number;
  seed: string;
  help: boolean;
  version: boolean;
}

/** Reads the arguments; throws an error with one clear line. */
function readArguments(args: string[]): Arguments {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      port: text,
      host: text,
      key: { type: 'string', multiple: true },
      latency: text,
      seed: text,
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
  const keys = values.key ?? [];
  if (keys.some((key) => !/^sk-[!-~]+$/.test(key))) throw new Error('--key must begin with sk-');
  return {
    port: wholeNumber('--port', values.port ?? '8787', 65_535),
    host: values.host ?? '127.0.0.1',
    keys,
    latencyMs: wholeNumber('--latency', values.latency ?? '0', 3_600_000),
    seed: values.seed ?? '1',
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

function wholeNumber(name: string, text: string, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Infinity;
  if (number <= most) return number;
  throw new Error(`${name} must be a whole number from 0 to ${most}, not ${text}`);
}

function greeting(mock: MockGateway, baseURL: string): string {
  return `polygate reference gateway ${version()} on ${baseURL} (Ctrl-C ends it)

For polygate:

  export POLYGATE_BASE_URL=${baseURL}
  export POLYGATE_API_KEY=${mock.apiKey}

For any OpenAI-compatible client:

  export OPENAI_BASE_URL=${baseURL}/v1
  export OPENAI_API_KEY=${mock.apiKey}

Wallet and tasks, with their pictures: ${baseURL}/
`;
}

/** Of the package that this file is in, built or not. */
function version(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const manifest: unknown = JSON.parse(text);
  return isRecord(manifest) ? String(manifest.version) : '';
}

/** Runs the command; the exit code, or undefined while the gateway runs. */
async function main(args: string[]): Promise<number | undefined> {
  let wanted: Arguments;
  try {
    wanted = readArguments(args);
  } catch (error) {
    return complain(error, 2);
  }
  if (wanted.help || wanted.version) {
    process.stdout.write(wanted.help ? help : `${version()}\n`);
    return 0;
  }
  const mock = createMockGateway({
    keys: wanted.keys.length > 0 ? wanted.keys.map((key) => ({ key })) : undefined,
    latencyMs: wanted.latencyMs,
    seed: wanted.seed,
    chunkDelayMs: 25,
    history: 1000,
    onResponse: (answered) => {
      const colour = answered.status >= 500 ? 'red' : answered.status >= 400 ? 'yellow' : 'reset';
      console.log(styleText(colour, logLine(answered, new Date())));
    },
  });
  let listening: Listening;
  try {
    listening = await listen(mock, { port: wanted.port, host: wanted.host, cors: true });
  } catch (error) {
    return complain(explained(error, wanted), 1);
  }
  console.log(greeting(mock, listening.baseURL));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void listening.close().then(() => process.exit(0));
    });
  }
  return undefined;
}

/** Errors of the system that a user can do something about, in words. */
function explained(error: unknown, { port, host }: Arguments): unknown {
  switch (isRecord(error) ? error.code : undefined) {
    case 'EADDRINUSE':
      return new Error(`port ${port} is in use; --port 0 takes a free one`);
    case 'EACCES':
      return new Error(`port ${port} needs more rights; take one above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`${host} is no address of this machine`);
    default:
      return error;
  }
}

function complain(error: unknown, code: number): number {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  process.stderr.write(`polygate-mock: ${line} (--help shows the options)\n`);
  return code;
}

const code = await main(process.argv.slice(2));
if (code !== undefined) process.exitCode = code;
