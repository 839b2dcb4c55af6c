#!/usr/bin/env node
import { parseArgs } from 'node:util';

import { createMockGateway } from './index.ts';
import type { Answered, MockGateway } from './index.ts';
import { listen } from './node.ts';
import type { Listening } from './node.ts';

const help = `Starts the reference gateway: everything works, nothing costs anything.

  npx polygate-mock [options]

  --port <number>     port to listen on; 0 takes any free one (8787)
  --host <name>       address to listen on (127.0.0.1)
  --key <sk-…>        API key that it accepts; may be given more than once (sk-mock-demo)
  --latency <ms>      answers come this much later (0)
  --seed <text>       same seed, same ids, texts and pictures (1)
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
  };
}

function wholeNumber(name: string, text: string, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Infinity;
  if (number <= most) return number;
  throw new Error(`${name} must be a whole number from 0 to ${most}, not ${text}`);
}

function logLine(answered: Answered): string {
  const { method, status, ms, chargeUsd, replay } = answered;
  // Verification addresses are secret, even here.
  const path = answered.path.startsWith('/verify/') ? '/verify/…' : answered.path;
  const time = new Date().toTimeString().slice(0, 8);
  const charge = chargeUsd === undefined ? '' : `  $${chargeUsd}`;
  const note = replay ? ' (paid before)' : '';
  return `${time}  ${method.padEnd(6)} ${path}  ${status}  ${Math.round(ms)} ms${charge}${note}`;
}

function greeting(mock: MockGateway, baseURL: string): string {
  return `polygate reference gateway

  base URL   ${baseURL}
  API key    ${mock.apiKey}
  home page  ${baseURL}/

  polygate                        POLYGATE_BASE_URL=${baseURL} POLYGATE_API_KEY=${mock.apiKey}
  any OpenAI-compatible client    OPENAI_BASE_URL=${baseURL}/v1 OPENAI_API_KEY=${mock.apiKey}

Ctrl-C ends it.
`;
}

/** Runs the command; the exit code, or undefined while the gateway runs. */
async function main(args: string[]): Promise<number | undefined> {
  let wanted: Arguments;
  try {
    wanted = readArguments(args);
  } catch (error) {
    return complain(error, 2);
  }
  if (wanted.help) {
    process.stdout.write(help);
    return 0;
  }
  const mock = createMockGateway({
    keys: wanted.keys.length > 0 ? wanted.keys.map((key) => ({ key })) : undefined,
    latencyMs: wanted.latencyMs,
    seed: wanted.seed,
    chunkDelayMs: 25,
    history: 1000,
    onAnswer: (answered) => {
      console.log(logLine(answered));
    },
  });
  let listening: Listening;
  try {
    listening = await listen(mock, { port: wanted.port, host: wanted.host, cors: true });
  } catch (error) {
    return complain(error, 1);
  }
  console.log(greeting(mock, listening.baseURL));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void listening.close().then(() => process.exit(0));
    });
  }
  return undefined;
}

function complain(error: unknown, code: number): number {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  process.stderr.write(`polygate-mock: ${line} (--help shows the options)\n`);
  return code;
}

const code = await main(process.argv.slice(2));
if (code !== undefined) process.exitCode = code;
