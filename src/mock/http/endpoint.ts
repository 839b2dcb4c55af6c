import type * as z from 'zod/mini';

import type { MockResponse } from './response/response.ts';
import type { RequestContext } from './request-context.ts';
import { describeIssue } from './describe-issue.ts';
import { invalidParameter } from './response/gateway-error.ts';
import type { GatewayError } from './response/gateway-error.ts';

/** How an endpoint asks who calls. */
export type Auth = 'none' | 'bearer' | 'any-key' | 'balance';

type Reply = MockResponse | Promise<MockResponse>;

/** An endpoint as the specification's tables put it. */
interface Description {
  method: 'GET' | 'POST' | 'DELETE';
  /** With `{names}` for what varies. */
  path: string;
  summary: string;
  /** @defaultValue 'bearer' */
  auth?: Auth;
  /** Whether it takes a concurrency slot: chat and generation POSTs do. */
  slot?: boolean;
  /** Query parameters, for the description of the service. */
  query?: readonly string[];
  /** What it answers when all is well. */
  reply?: z.ZodMiniType;
  /** The status of that answer. @defaultValue 200 */
  status?: number;
  /** Other statuses of success. */
  otherStatuses?: readonly number[];
  /** Whether it may answer with a stream of events. */
  streams?: boolean;
  /** The statuses of its errors. */
  errors?: readonly number[];
  /** Left out of the description of the service. */
  hidden?: boolean;
}

interface Reading extends Description {
  /** How a query is refused. @defaultValue 400 invalid_request_parameter */
  refuse?: (message: string) => GatewayError;
  handle: (call: RequestContext) => Reply;
}

interface Writing<Body> extends Description {
  /** What is sent; a body that does not fit is refused. */
  body: z.ZodMiniType<Body>;
  /**
   * What is sent as the description of the service shows it, where that says more than the check.
   */
  shownBody?: z.ZodMiniType;
  /** How it is refused. @defaultValue 400 invalid_request_parameter */
  refuse?: (message: string) => GatewayError;
  handle: (call: RequestContext, body: Body) => Reply;
}

/** An endpoint whose kind of body only its own handler knows. */
export interface Endpoint extends Description {
  auth: Auth;
  slot: boolean;
  /** What the description of the service shows as the body. */
  shownBody: z.ZodMiniType | undefined;
  /** Such as `POST /v1/videos`. */
  route: string;
  /** How a query or a body is refused before the endpoint has a look at it. */
  refuse: (message: string) => GatewayError;
  run: (call: RequestContext, body: unknown) => Reply;
}

/** An endpoint that takes no body. */
export function reads(definition: Reading): Endpoint {
  const {
    method,
    path,
    handle,
    auth = 'bearer',
    slot = false,
    refuse = invalidParameter,
  } = definition;
  const route = `${method} ${path}`;
  const plain = { shownBody: undefined, refuse, run: handle };
  return { ...definition, ...plain, auth, slot, route };
}

/** An endpoint that takes a JSON body. */
export function writes<Body>(definition: Writing<Body>): Endpoint {
  const { method, path, body: schema, handle, auth = 'bearer', slot = false } = definition;
  const { refuse = invalidParameter, shownBody = schema } = definition;
  const run = (call: RequestContext, body: unknown): Reply =>
    handle(call, parseBody(schema, body, refuse));
  return { ...definition, auth, slot, refuse, shownBody, run, route: `${method} ${path}` };
}

/** Refuses a documented query parameter that comes twice: which of the two counts is anybody's guess. */
export function rejectRepeatedParameters({ query = [], refuse }: Endpoint, sent: URLSearchParams): void {
  const repeated = query.find((name) => sent.getAll(name).length > 1);
  if (repeated !== undefined) throw refuse(`\`${repeated}\` must be given once`);
}

/** The body in its type, or a refusal with a sentence that names the field. */
export function parseBody<Body>(
  schema: z.ZodMiniType<Body>,
  body: unknown,
  refuse: (message: string) => GatewayError = invalidParameter,
): Body {
  const checked = schema.safeParse(body);
  if (checked.success) return checked.data;
  throw refuse(describeIssue(checked.error.issues, body));
}
