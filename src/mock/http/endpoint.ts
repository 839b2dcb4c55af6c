import type * as z from 'zod/mini';

import type { Ledger } from '../account/ledger.ts';
import type { Slots, Users } from '../account/users.ts';
import type { Replies } from '../chat/replies.ts';
import type { Clock } from '../clock.ts';
import type { InFlight } from '../in-flight.ts';
import type { MaterialStore } from '../materials/store.ts';
import type { ModelCatalog } from '../models.ts';
import type { MockAssumptions, Settings } from '../options.ts';
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

/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** The description of a parameter, optionally with further schema keywords. */
export type ParameterDocs =
  | string
  | { readonly description: string; readonly [keyword: string]: unknown };

/** An endpoint, with what the OpenAPI document says about it. Fields with defaults are optional. */
interface EndpointOptions {
  method: 'GET' | 'POST' | 'DELETE';
  /** The path template, with `{name}` for each variable segment. */
  path: string;
  summary: string;
  /** The operation id, from which generators derive function names. */
  id?: string;
  description?: string;
  /** @defaultValue 'bearer' */
  auth?: Auth;
  /** Whether requests hold a concurrency slot, as chat and generation requests do. @defaultValue false */
  usesSlot?: boolean;
  /** The documented query parameters; of type string unless the keywords specify another type. */
  query?: Readonly<Record<string, ParameterDocs>>;
  /** The request headers that only this endpoint accepts. */
  headers?: Readonly<Record<string, ParameterDocs>>;
  /** Valid request bodies, by title. */
  examples?: Readonly<Record<string, JsonObject>>;
  /** The schema of a successful response. */
  responseSchema?: z.ZodMiniType;
  /** The usual status of a successful response. @defaultValue 200 */
  status?: number;
  /** The description of each success response, by status, and the names of its schemas if they are not `responseSchema`. */
  responses?: Readonly<Record<number, readonly [description: string, ...schemas: string[]]>>;
  /** Names of the schemas of one event of a streamed response. */
  eventSchemas?: readonly string[];
  /** The statuses of error responses. */
  errors?: readonly number[];
  /** Error codes by status, where they differ from the default ones. */
  errorCodes?: Readonly<Record<number, readonly string[]>>;
  /** Whether the OpenAPI document omits the endpoint. @defaultValue false */
  hidden?: boolean;
}

/** A schema that the document lists under its own name. */
export interface SchemaDocs {
  schema: z.ZodMiniType;
  description: string;
  /** Keywords of fields by path, such as `balance.usd` or `data[].url`, as the comments of the interface have them. */
  keywords?: Readonly<Record<string, JsonObject & { readonly description?: never }>>;
  /** What this gateway adds to them. */
  fields?: SchemaDocs['keywords'];
  /** Paths of fields that have no other values here than the known ones. */
  closed?: readonly string[];
  example?: JsonObject;
}

/** What the document says about a tag, which is a group of endpoints. */
export interface TagDocs {
  tag: { name: string; description: string };
  schemas: Readonly<Record<string, SchemaDocs>>;
}

/** An endpoint as the specification describes it, without the code that handles its requests. */
export interface EndpointDescription extends EndpointOptions {
  auth: Auth;
  usesSlot: boolean;
  /** The request body as the OpenAPI document shows it. */
  documentedBody: z.ZodMiniType | undefined;
  /** Method and path, such as `POST /v1/videos`. */
  route: string;
  /** What the OpenAPI document says about the tag of the endpoint. */
  docs?: TagDocs;
}

type HandlerResult = MockResponse | Promise<MockResponse>;

/** An endpoint that can handle requests. Only its own handler knows the type of its body. */
export interface Endpoint extends EndpointDescription {
  toError: ToError;
  run: (context: RequestContext, body: unknown) => HandlerResult;
}

/** Defines an endpoint without a request body. */
export function defineEndpoint(
  options: EndpointOptions & {
    /** The error for invalid query parameters. @defaultValue 400 invalid_request_parameter */
    toError?: ToError;
    handle: (context: RequestContext) => HandlerResult;
  },
): Endpoint {
  const { method, path, handle, auth = 'bearer', usesSlot = false } = options;
  const { toError = invalidParameter } = options;
  return {
    ...options,
    auth,
    usesSlot,
    toError,
    documentedBody: undefined,
    run: handle,
    route: `${method} ${path}`,
  };
}

/** Defines an endpoint with a JSON request body. */
export function defineJsonEndpoint<Body>(
  options: EndpointOptions & {
    /** The schema that request bodies are checked against. */
    body: z.ZodMiniType<Body>;
    /** The request body in the OpenAPI document, where it is more detailed than `body`. */
    documentedBody?: z.ZodMiniType;
    /** The error for invalid query parameters and bodies. @defaultValue 400 invalid_request_parameter */
    toError?: ToError;
    handle: (context: RequestContext, body: Body) => HandlerResult;
  },
): Endpoint {
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

/** Adds what the OpenAPI document says about the tag of endpoints. */
export function documented(docs: TagDocs, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.map((endpoint) => ({ ...endpoint, docs }));
}

/** Rejects repeated documented query parameters, because their value is ambiguous. */
export function rejectRepeatedParameters(
  { query = {}, toError }: Endpoint,
  sent: URLSearchParams,
): void {
  const repeated = Object.keys(query).find((name) => sent.getAll(name).length > 1);
  if (repeated !== undefined) throw toError(`\`${repeated}\` must not be repeated`);
}
