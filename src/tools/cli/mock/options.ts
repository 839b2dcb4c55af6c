import type * as z from 'zod/mini';

import type { Fault } from '../../../mock/index.ts';
import { mockAssumptions } from '../../../mock/options.ts';
import type { MockAssumptions } from '../../../mock/options.ts';
import { endpoints } from '../../../mock/routes/index.ts';
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

/** The parsed options of the command. */
export type MockArguments = ReturnType<typeof parseMockArguments>;

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
export function parseMockArguments(args: string[]) {
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

const ids = Object.keys(mockAssumptions.shape);

/** Parses texts such as `A2=images/generations`. Throws a `UsageError` if one is invalid. */
export function parseAssumptions(texts: readonly string[]): MockAssumptions {
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
  const minutes = /^\d{1,6}$/.test(given.A22 ?? '') && { A22: Number(given.A22) };
  const result = mockAssumptions.safeParse({ ...given, ...minutes });
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

/** A fault to inject, with its text on the command line. */
interface NamedFault {
  fault: Fault;
  /** Such as `reset-after`. */
  name: string;
}

/** The faults without a number. */
const plainFaults: Readonly<Record<string, Fault>> = {
  unreachable: { unreachable: true },
  'reset-before': { reset: 'before' },
  'reset-after': { reset: 'after' },
  stall: { stallHeaders: true },
  malformed: { malformed: true },
};

/** The faults that end in a number. */
const numberedFaults: Readonly<Record<string, (number: number) => Fault>> = {
  delay: (delayMs) => ({ delayMs }),
  'truncate-after': (truncateBody) => ({ truncateBody }),
  'stall-after': (stallBody) => ({ stallBody }),
  'cut-stream-after': (cutStreamAfter) => ({ cutStreamAfter }),
  'end-stream-after': (cutStreamAfter) => ({ cutStreamAfter, cut: 'end' }),
  'stream-error-after': (streamErrorAfter) => ({ streamErrorAfter }),
};

/** Parses `<route>:<what>[:<times>]`. Throws a `UsageError` if it is invalid. */
function parseFault(text: string): NamedFault {
  const [route = '', name, times, ...rest] = text.split(':').map((part) => part.trim());
  if (name === undefined || rest.length > 0) {
    throw new UsageError(
      `--fail must be '<route>:<what>[:<times>]' such as 'POST /v1/images/tasks:reset-after:1', not '${text}'`,
    );
  }
  const fault: Fault = { ...parseEffect(name), ...parseRoute(route) };
  if (times === undefined) return { fault, name };
  if (!/^[1-9]\d{0,8}$/.test(times)) {
    throw new UsageError(
      `--fail '${text}': the number of times must be an integer from 1, not ${times}`,
    );
  }
  return { fault: { ...fault, times: Number(times) }, name };
}

function parseEffect(name: string): Fault {
  const [, status, after] = /^([345]\d\d)(-after)?$/.exec(name) ?? [];
  if (status !== undefined) return { status: Number(status), handled: after !== undefined };
  if (Object.hasOwn(plainFaults, name)) return plainFaults[name] ?? {};
  const [, kind = '', digits] = /^(.*)-(\d{1,9})(?:ms)?$/.exec(name) ?? [];
  const create = Object.hasOwn(numberedFaults, kind) ? numberedFaults[kind] : undefined;
  if (create !== undefined) return create(Number(digits));
  const nearest = nearestEffect(name);
  if (nearest === name) throw new UsageError(`--fail: the number of ${name} is too large`);
  throw new UsageError(`--fail: ${name} is not a fault${suggestion(nearest)}`);
}

/** Returns the fault that was probably meant, with the number that was given. */
function nearestEffect(name: string): string | undefined {
  const [, kind = name, digits = ''] = /^(\D*)(\d*)$/.exec(name) ?? [];
  const numbered = Object.keys(numberedFaults);
  const nearest = nearestName(kind.replace(/-$/, ''), [...Object.keys(plainFaults), ...numbered]);
  return nearest !== undefined && numbered.includes(nearest)
    ? `${nearest}-${digits || 'N'}`
    : nearest;
}

/** Checks that requests can match a route, which `model=` can limit to one model. */
function parseRoute(given: string): Pick<Fault, 'route' | 'model'> {
  const at = given.indexOf('model=');
  if (at < 0) return parsePath(given);
  return { ...parsePath(given.slice(0, at).trim()), model: given.slice(at + 'model='.length) };
}

function parsePath(text: string): Pick<Fault, 'route'> {
  if (text === '*' || text === '') return {};
  const [, method = '*', path = text] = /^(\S+)\s+(\S+)$/.exec(text) ?? [];
  const known = endpoints.filter((endpoint) => method === '*' || endpoint.method === method);
  if (known.some((endpoint) => samePath(endpoint.path, path))) return { route: text };
  const otherMethod = endpoints.find((endpoint) => samePath(endpoint.path, path));
  const candidates =
    method === '*' ? known.map((endpoint) => endpoint.path) : known.map(({ route }) => route);
  const nearest = otherMethod?.route ?? nearestName(text, candidates);
  throw new UsageError(`--fail: ${text} is not a route of the gateway${suggestion(nearest)}`);
}

/** Whether a path can match the path of an endpoint: `{name}` in either matches any segment. */
function samePath(path: string, other: string): boolean {
  const segments = path.split('/');
  const others = other.split('/');
  if (segments.length !== others.length) return false;
  return segments.every((segment, index) => {
    const found = others[index] ?? '';
    return segment === found || segment.startsWith('{') || found.startsWith('{');
  });
}
