import type * as z from 'zod/mini';

import { describeIssue } from './describe-issue.ts';
import type { EndpointDescription, EndpointOptions } from './endpoint-description.ts';
import type { RequestContext } from './request-context.ts';
import { invalidParameter } from './response/gateway-error.ts';
import type { GatewayError } from './response/gateway-error.ts';
import type { MockResponse } from './response/response.ts';

type HandlerResult = MockResponse | Promise<MockResponse>;

/** Turns a sentence about invalid input into the error that the endpoint responds with. */
type ToError = (message: string) => GatewayError;

interface BodylessOptions extends EndpointOptions {
  /** The error for invalid query parameters. @defaultValue 400 invalid_request_parameter */
  toError?: ToError;
  handle: (call: RequestContext) => HandlerResult;
}

interface JsonOptions<Body> extends EndpointOptions {
  /** The schema that request bodies are checked against. */
  body: z.ZodMiniType<Body>;
  /** The request body in the OpenAPI document, where it is more detailed than `body`. */
  documentedBody?: z.ZodMiniType;
  /** The error for invalid query parameters and bodies. @defaultValue 400 invalid_request_parameter */
  toError?: ToError;
  handle: (call: RequestContext, body: Body) => HandlerResult;
}

/** An endpoint that can handle requests. Only its own handler knows the type of its body. */
export interface Endpoint extends EndpointDescription {
  toError: ToError;
  run: (call: RequestContext, body: unknown) => HandlerResult;
}

/** Defines an endpoint without a request body. */
export function defineEndpoint(options: BodylessOptions): Endpoint {
  const {
    method,
    path,
    handle,
    auth = 'bearer',
    slot = false,
    toError = invalidParameter,
  } = options;
  const route = `${method} ${path}`;
  return { ...options, documentedBody: undefined, toError, run: handle, auth, slot, route };
}

/** Defines an endpoint with a JSON request body. */
export function defineJsonEndpoint<Body>(options: JsonOptions<Body>): Endpoint {
  const { method, path, body: schema, handle, auth = 'bearer', slot = false } = options;
  const { toError = invalidParameter, documentedBody = schema } = options;
  const run = (call: RequestContext, body: unknown): HandlerResult =>
    handle(call, parseBody(schema, body, toError));
  return { ...options, auth, slot, toError, documentedBody, run, route: `${method} ${path}` };
}

/** Rejects a documented query parameter that is given twice, because its value is ambiguous. */
export function rejectRepeatedParameters(
  { query = [], toError }: Endpoint,
  sent: URLSearchParams,
): void {
  const repeated = query.find((name) => sent.getAll(name).length > 1);
  if (repeated !== undefined) throw toError(`\`${repeated}\` must be given once`);
}

/** Returns the body with its type, or throws an error that names the first invalid field. */
export function parseBody<Body>(
  schema: z.ZodMiniType<Body>,
  body: unknown,
  toError: ToError = invalidParameter,
): Body {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw toError(describeIssue(result.error.issues, body));
}
