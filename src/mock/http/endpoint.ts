import type * as z from 'zod/mini';

import type { Ledger } from '../account/ledger.ts';
import type { Slots, Users } from '../account/users.ts';
import type { MockAssumptions } from '../assumptions.ts';
import type { Replies } from '../chat/replies.ts';
import type { Clock } from '../clock.ts';
import type { InFlight } from '../in-flight.ts';
import type { MaterialStore } from '../materials/store.ts';
import type { ModelCatalog } from '../models.ts';
import type { TagDocs } from '../openapi/docs.ts';
import type { Settings } from '../options.ts';
import type { IdGenerator } from '../random.ts';
import type { Caller } from '../state.ts';
import type { TaskStore } from '../tasks/store.ts';
import type { Health } from './recorder.ts';
import { invalidParameter } from './response.ts';
import type { MockResponse, ToError } from './response.ts';
import { parseBody } from './validate.ts';

/** An authenticated request, as its endpoint handles it. */
export interface RequestContext extends Caller {
  services: Services;
  /** The gateway's origin as the caller addressed it. Links in responses start with it. */
  origin: string;
  headers: Headers;
  query: URLSearchParams;
  /** The decoded path parameters, by name. */
  params: Readonly<Record<string, string>>;
  /** The parsed body. */
  body: unknown;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal | undefined;
}

/** The state and settings of one gateway, which all its endpoints share. */
export interface Services {
  settings: Settings;
  assumptions: MockAssumptions;
  clock: Clock;
  /** The requests at this gateway, which a virtual clock knows. */
  inFlight: InFlight;
  makeId: IdGenerator;
  catalog: ModelCatalog;
  /** Scripted chat replies. */
  replies: Replies;
  users: Users;
  slots: Slots;
  health: Health;
  ledger: Ledger;
  tasks: TaskStore;
  materials: MaterialStore;
  /** Descriptions of all endpoints, for the OpenAPI document and the list of capabilities. */
  endpoints: readonly EndpointDescription[];
}

/** Returns the value of a path parameter. */
export function param(context: RequestContext, name: string): string {
  return context.params[name] ?? '';
}

/** How an endpoint authenticates its caller. */
export type Auth = 'none' | 'bearer' | 'any-key' | 'balance';

/** An endpoint definition; fields with defaults are optional. */
interface EndpointOptions {
  method: 'GET' | 'POST' | 'DELETE';
  /** The path template, with `{name}` for each variable segment. */
  path: string;
  summary: string;
  /** @defaultValue 'bearer' */
  auth?: Auth;
  /** Whether requests hold a concurrency slot, as chat and generation requests do. @defaultValue false */
  usesSlot?: boolean;
  /** The documented query parameters. */
  query?: readonly string[];
  /** The schema of a successful response. */
  responseSchema?: z.ZodMiniType;
  /** The status of a successful response. @defaultValue 200 */
  status?: number;
  /** Other statuses of successful responses. */
  otherStatuses?: readonly number[];
  /** The statuses of error responses. */
  errors?: readonly number[];
  /** Whether the OpenAPI document omits the endpoint. @defaultValue false */
  hidden?: boolean;
}

/** An endpoint as the specification describes it, without the code that handles its requests. */
export interface EndpointDescription extends EndpointOptions {
  auth: Auth;
  usesSlot: boolean;
  /** The request body as the OpenAPI document shows it. */
  documentedBody: z.ZodMiniType | undefined;
  /** Method and path, such as `POST /v1/videos`. */
  route: string;
  /** What the OpenAPI document says about it and the endpoints of the same tag. */
  docs?: TagDocs;
}

type HandlerResult = MockResponse | Promise<MockResponse>;

interface BodylessOptions extends EndpointOptions {
  /** The error for invalid query parameters. @defaultValue 400 invalid_request_parameter */
  toError?: ToError;
  handle: (context: RequestContext) => HandlerResult;
}

interface JsonOptions<Body> extends EndpointOptions {
  /** The schema that request bodies are checked against. */
  body: z.ZodMiniType<Body>;
  /** The request body in the OpenAPI document, where it is more detailed than `body`. */
  documentedBody?: z.ZodMiniType;
  /** The error for invalid query parameters and bodies. @defaultValue 400 invalid_request_parameter */
  toError?: ToError;
  handle: (context: RequestContext, body: Body) => HandlerResult;
}

/** An endpoint that can handle requests. Only its own handler knows the type of its body. */
export interface Endpoint extends EndpointDescription {
  toError: ToError;
  run: (context: RequestContext, body: unknown) => HandlerResult;
}

/** Defines an endpoint without a request body. */
export function defineEndpoint(options: BodylessOptions): Endpoint {
  const {
    method,
    path,
    handle,
    auth = 'bearer',
    usesSlot = false,
    toError = invalidParameter,
  } = options;
  const route = `${method} ${path}`;
  return {
    ...options,
    documentedBody: undefined,
    toError,
    run: handle,
    auth,
    usesSlot,
    route,
  };
}

/** Defines an endpoint with a JSON request body. */
export function defineJsonEndpoint<Body>(options: JsonOptions<Body>): Endpoint {
  const { method, path, body: schema, handle, auth = 'bearer', usesSlot = false } = options;
  const { toError = invalidParameter, documentedBody = schema } = options;
  const run = (context: RequestContext, body: unknown): HandlerResult =>
    handle(context, parseBody(schema, body, toError));
  return {
    ...options,
    auth,
    usesSlot,
    toError,
    documentedBody,
    run,
    route: `${method} ${path}`,
  };
}

/** Adds what the OpenAPI document says about the endpoints of a tag. */
export function documented(docs: TagDocs, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.map((endpoint) => ({ ...endpoint, docs }));
}

/** Rejects repeated documented query parameters, because their value is ambiguous. */
export function rejectRepeatedParameters(
  { query = [], toError }: Endpoint,
  sent: URLSearchParams,
): void {
  const repeated = query.find((name) => sent.getAll(name).length > 1);
  if (repeated !== undefined) throw toError(`\`${repeated}\` must not be repeated`);
}
