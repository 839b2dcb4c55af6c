import * as z from 'zod/mini';

import type { MockAssumptions } from '../../../mock/index.ts';
import { nearestName } from '../../../wire/types/nearest-name.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import {
  parseDecimal,
  parseInteger,
  parseOptions,
  shown,
  UsageError,
  suggestion,
  unknownName,
} from '../arguments.ts';
import { commandOptions } from '../command-options.ts';
import { helpOf } from '../help.ts';
import { parseFault } from './fault.ts';
import type { NamedFault } from './fault.ts';

/** The parsed options of the command. */
export interface MockArguments {
  port: number;
  host: string;
  keys: string[];
  walletUsd: number;
  latencyMs: number;
  chunkDelayMs: number;
  taskDurationMs: number | undefined;
  concurrencyLimit: number | undefined;
  seed: string;
  imageFormat: 'png' | 'svg';
  faults: NamedFault[];
  assumptions: Partial<MockAssumptions>;
  cors: boolean;
  stateFile: string | undefined;
  help: boolean;
  version: boolean;
}

export const help = (command: string): string =>
  helpOf('mock', {
    about: 'Starts the reference gateway on this machine. Requests cost nothing.',
    usage: [`npx ${command} [options]`],
    examples: [`npx ${command} --port 8787 --wallet 5`],
    lists: {
      Faults: [
        "A route is a method and a path such as 'POST /v1/images/tasks' or 'GET /v1/videos/{id}', a path for any method, or * for every request. A fault affects every matching request, or as many as <times> says.",
        ['503', 'respond with this status (any from 300 to 599); nothing is processed or charged'],
        ['503-after', 'process and charge the request, then respond with this status'],
        ['unreachable', 'refuse the connection'],
        ['reset-before', 'drop the connection before the request is processed'],
        [
          'reset-after',
          'process and charge the request, then drop the connection: the response is lost',
        ],
        ['stall', 'process and charge the request, but never respond'],
        ['delay-2000', 'process the request, but respond after 2000 ms'],
        ['malformed', 'respond with invalid JSON'],
        ['truncate-after-100', 'drop the connection after 100 bytes of the body'],
        ['stall-after-100', 'stop after 100 bytes of the body and keep the connection open'],
        ['cut-stream-after-3', 'drop the connection after 3 events of a stream'],
        ['end-stream-after-3', 'end a stream after 3 events, as if it were complete'],
        ['stream-error-after-3', 'end a stream with an error after 3 events'],
      ],
    },
    end: 'For tests, GET /__mock/invoice and GET /__mock/requests return the latest charges and requests as JSON.',
  });

/** Parses the arguments. Throws a `UsageError` if they are invalid. */
export function parseMockArguments(args: string[]): MockArguments {
  const values = parseOptions(args, commandOptions.mock);
  const keys = values.key ?? [];
  if (keys.some((key) => !/^sk-[!-~]+$/.test(key))) {
    throw new UsageError('--key must be sk- followed by visible ASCII characters');
  }
  if (values.state === '') throw new UsageError('--state must be the path of a file');
  // An empty one would listen on all interfaces.
  if (values.host.trim() === '') throw new UsageError('--host must be a host name or IP address');
  return {
    port: parseInteger('--port', values.port, 65_535),
    host: values.host,
    keys,
    walletUsd: parseWallet(values.wallet),
    latencyMs: parseInteger('--latency', values.latency, maxMs),
    chunkDelayMs: parseInteger('--chunk-delay', values['chunk-delay'], maxMs),
    taskDurationMs: parseOptional('--task-duration', values['task-duration'], maxMs),
    concurrencyLimit: parseOptional('--concurrency-limit', values['concurrency-limit'], 1000, 1),
    seed: values.seed,
    imageFormat: parseImageFormat(values['image-format']),
    faults: (values.fail ?? []).map(parseFault),
    assumptions: parseAssumptions(values.assume ?? []),
    cors: values.cors ?? false,
    stateFile: values.state,
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

/** The longest delay: an hour. */
const maxMs = 3_600_000;

/** Parses an integer option whose default is that of the gateway. */
function parseOptional(
  name: string,
  text: string | undefined,
  ...limits: [max: number, min?: number]
): number | undefined {
  return text === undefined ? undefined : parseInteger(name, text, ...limits);
}

function parseWallet(text: string): number {
  const usd = parseDecimal(text);
  if (usd !== undefined) return usd;
  throw new UsageError(
    `--wallet must be an amount in USD such as 0.10, at most 999999999 and with at most 9 decimals, not ${shown(text)}`,
  );
}

function parseImageFormat(text: string): 'png' | 'svg' {
  if (text === 'png' || text === 'svg') return text;
  throw new UsageError(`--image-format must be png or svg, not ${shown(text)}`);
}

/** The values of each assumption, as text on the command line. */
const assumptionsSchema = z.object({
  A1: z.exactOptional(z.enum(['any', 'videos', 'video/generations', 'videos/generations'])),
  A2: z.exactOptional(z.enum(['any', 'images/tasks', 'images/generations'])),
  A3: z.exactOptional(z.enum(['audio', 'openai'])),
  A4: z.exactOptional(z.enum(['completed', 'succeeded', 'raw'])),
  A5: z.exactOptional(z.enum(['result', 'output'])),
  A6: z.exactOptional(z.enum(['flat', 'data', 'task'])),
  A7: z.exactOptional(z.enum(['task', 'finished'])),
  A9: z.exactOptional(z.enum(['envelope', 'string', 'flat', 'detail', 'success', 'html'])),
  A10: z.exactOptional(z.string().check(z.regex(/^[\w-]+$/, 'must be the name of a header'))),
  A11: z.exactOptional(z.enum(['charge', 'replay'])),
  A12: z.exactOptional(z.enum(['charge', 'replay'])),
  A13: z.exactOptional(z.enum(['replay', 'conflict'])),
  A14: z.exactOptional(z.enum(['request', 'task'])),
  A15: z.exactOptional(z.enum(['refund', 'keep'])),
  A20: z.exactOptional(z.enum(['off', 'on'])),
  A21: z.exactOptional(z.enum(['null', 'absent'])),
  A22: z.exactOptional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,6}$/, 'must be a number of minutes')),
      z.transform(Number),
    ),
  ),
}) satisfies z.ZodMiniType<Partial<MockAssumptions>>;

const ids = Object.keys(assumptionsSchema.shape);

/** Parses texts such as `A2=images/generations`. Throws a `UsageError` if one is invalid. */
export function parseAssumptions(texts: readonly string[]): Partial<MockAssumptions> {
  const given: Record<string, string> = {};
  for (const text of texts) {
    const [, id = text, value] = /^(.*?)=(.*)$/s.exec(text) ?? [];
    if (value === undefined) {
      throw new UsageError(
        `--assume must be <id>=<value> such as A2=images/generations, not ${text}`,
      );
    }
    if (/^A([1-9]|1\d|2[0-2])$/.test(id) && !ids.includes(id)) {
      throw new UsageError(`--assume: ${id} has no switch; those with one: ${ids.join(', ')}`);
    }
    if (!ids.includes(id)) throw new UsageError(`--assume: ${unknownName('assumption', id, ids)}`);
    given[id] = value;
  }
  const result = assumptionsSchema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const id = String(issue?.path[0]);
  throw new UsageError(`--assume: ${id} ${ruleOf(issue, given[id] ?? '')}`);
}

function ruleOf(issue: z.core.$ZodIssue | undefined, value: string): string {
  if (!isRecord(issue) || !Array.isArray(issue.values))
    return `${issue?.message}, not ${shown(value)}`;
  const known = issue.values.map(String);
  return `must be ${known.join(' or ')}, not ${shown(value)}${suggestion(nearestName(value, known))}`;
}
