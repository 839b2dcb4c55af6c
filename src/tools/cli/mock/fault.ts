import type { Fault } from '../../../mock/index.ts';
import { endpoints } from '../../../mock/routes/index.ts';
import { nearestName } from '../../../wire/types/nearest-name.ts';
import { suggestion, UsageError } from '../arguments.ts';

/** A fault to inject, with its text on the command line. */
export interface NamedFault {
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
export function parseFault(text: string): NamedFault {
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
