import type { TaskKind } from '../types/tasks/task.ts';
import { chatEndpoints } from './chat.ts';
import type { Endpoint, Safety, SubmitEndpoint } from './endpoint.ts';

/** What a line of the table adds to what its helper says. */
type Details = Partial<Omit<Endpoint, 'method' | 'path' | 'audience'>>;

/** Returns the helper for endpoints of this audience that return a record, and cost nothing. */
const readBy =
  <const Audience extends Endpoint['audience']>(audience: Audience) =>
  <const Path extends string>(path: Path, details?: Details) =>
    ({ method: 'GET', path, audience, safety: 'safe', ...details }) as const;

/** Returns a record to any user, and costs nothing. */
const read = readBy('user');
/** Returns a record that is the same for all, and needs no API key. */
const open = readBy('public');
/** Returns a record of the account, or those of all its users. */
const own = readBy('owner');

/** Costs money each time the service executes it, also with the same key. */
const pay = <const Path extends string, const More extends Details>(
  path: Path,
  details: More,
): Endpoint & {
  readonly method: 'POST';
  readonly path: Path;
  readonly audience: 'user';
} & More => ({
  method: 'POST',
  path,
  audience: 'user',
  safety: 'once',
  paid: true,
  usesSlot: true,
  ...details,
});

/** Creates tasks. The service executes and charges a request once per key. */
const submit = <const Path extends string, const Kind extends TaskKind>(path: Path, kind: Kind) =>
  pay(path, { safety: 'keyed', kind, price: kind });

/** Creates a voice. A key is always sent, although the service may ignore it. */
const createVoice = <const Path extends string, const Price extends 'voiceClone' | 'voiceDesign'>(
  path: Path,
  price: Price,
) => pay(path, { keyedIf: 'voices', sendsKey: true, hasModel: false, price, resource: 'voice' });

/** A poll path that the specification does not mention. */
const assumed: Details = { isAssumed: true };

/**
 * The endpoints that the client uses, by namespace and method. Those of images and videos are named like the option `route`.
 * {@link findEndpoint} returns the endpoint of a request.
 */
export const endpoints = {
  ...chatEndpoints,
  public: {
    status: open('/v1/status', { query: ['locale'] }),
    capabilities: open('/v1/capabilities'),
    errors: open('/v1/errors'),
    error: open('/v1/errors/{code}'),
    changelog: open('/v1/changelog'),
    pricing: open('/v1/pricing', { query: ['type'] }),
    rateLimits: open('/v1/rate-limits'),
    openapi: open('/v1/openapi.json'),
  },
  account: {
    retrieve: own('/v1/account'),
    readiness: own('/v1/readiness'),
    balance: own('/api/usage/balance'),
  },
  images: {
    tasks: submit('/v1/images/tasks', 'image'),
    generations: submit('/v1/images/generations', 'image'),
  },
  videos: {
    videos: submit('/v1/videos', 'video'),
    'video/generations': submit('/v1/video/generations', 'video'),
    'videos/generations': submit('/v1/videos/generations', 'video'),
  },
  audio: {
    // Music and speech.
    tasks: submit('/v1/audio/tasks', 'audio'),
  },
  /** The polls of each kind of task, in the order in which they are tried. Assumptions A1 and A2. */
  imagePolls: [read('/v1/images/tasks/{id}'), read('/v1/images/generations/{id}', assumed)],
  videoPolls: [
    read('/v1/videos/{id}', assumed),
    read('/v1/video/generations/{id}', assumed),
    read('/v1/videos/generations/{id}', assumed),
  ],
  audioPolls: [read('/v1/audio/tasks/{id}')],
  voices: {
    list: read('/v1/audio/voices', { isList: true, query: ['model'] }),
    clone: createVoice('/v1/audio/voices/clone', 'voiceClone'),
    design: createVoice('/v1/audio/voices/design', 'voiceDesign'),
  },
  materials: {
    create: {
      method: 'POST',
      path: '/v1/materials',
      audience: 'user',
      safety: 'keyed',
      idempotencyHeader: 'idempotency-key',
      resource: 'material',
      hasModel: false,
    },
    list: own('/v1/materials', { isList: true, query: ['type', 'status', 'limit', 'after'] }),
    retrieve: read('/v1/materials/{material_id}', { resource: 'material' }),
    delete: { ...read('/v1/materials/{material_id}'), method: 'DELETE' },
  },
} as const satisfies Readonly<
  Record<string, Readonly<Record<string, Endpoint>> | readonly Endpoint[]>
>;

/** An endpoint of the table. Its method, path and audience are literals, of which the routes of the proxy are made. */
export type KnownEndpoint = {
  [Name in keyof typeof endpoints]: (typeof endpoints)[Name] extends infer Group
    ? Group extends readonly (infer Each)[]
      ? Each
      : Group[keyof Group]
    : never;
}[keyof typeof endpoints];

/** The endpoints of the table as a list. */
export const allEndpoints = Object.values(endpoints).flatMap((group) =>
  Object.values<KnownEndpoint>(group),
);

/** The paths of polls, the first of which a client can be configured with. */
export function pollPaths(
  [first, ...others]: readonly [Endpoint, ...Endpoint[]],
  configured = first.path,
): readonly [string, ...string[]] {
  return [configured, ...others.map(({ path }) => path)];
}

/** Finds the endpoint of a request. Its path may contain ids, or the placeholders of a template. */
export function findEndpoint(method: string, path: string): Endpoint | undefined {
  return allEndpoints.find((endpoint) => endpoint.method === method && matches(endpoint, path));
}

function matches(endpoint: Endpoint, path: string): boolean {
  const [start = '', name] = endpoint.path.split(/[{}]/);
  if (name === undefined) return path === start;
  const id = path.slice(start.length);
  // Only ids of models contain slashes.
  return path.startsWith(start) && id !== '' && (name === 'model' || !id.includes('/'));
}

/**
 * The safety of a request whose endpoint is not known, and whether it may cost money: what its method means, and whether the
 * caller has declared that it can be repeated.
 */
export function unknownRequest(
  method: string,
  isIdempotent?: boolean,
): { readonly safety: Safety; readonly paid: boolean } {
  const paid = isPaidMethod(method);
  if (!(isIdempotent ?? !paid)) return { safety: 'once', paid };
  return { safety: paid ? 'keyed' : 'safe', paid };
}

/**
 * Whether a request whose endpoint is not known may cost money: unless its method can be repeated, by the HTTP standard.
 */
export const isPaidMethod = (method: string): boolean =>
  !/^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method);

export function isSubmit(endpoint: Endpoint | undefined): endpoint is SubmitEndpoint {
  return endpoint?.kind !== undefined;
}
