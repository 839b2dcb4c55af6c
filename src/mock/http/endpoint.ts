import type * as z from 'zod/mini';

import { describeIssue } from './describe-issue.ts';
import type { EndpointDescription, EndpointOptions } from './endpoint-description.ts';
import type { RequestContext } from './request-context.ts';
import { invalidParameter } from './response/gateway-error.ts';
import type { GatewayError } from './response/gateway-error.ts';
import type { MockResponse } from './response/response.ts';

type HandlerResult = MockResponse | Promise<MockResponse>;

/** Creates the error from a message about invalid input. */
type ToError = (message: string) => GatewayError;

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

/** Rejects repeated documented query parameters, because their value is ambiguous. */
export function rejectRepeatedParameters(
  { query = [], toError }: Endpoint,
  sent: URLSearchParams,
): void {
  const repeated = query.find((name) => sent.getAll(name).length > 1);
  if (repeated !== undefined) throw toError(`\`${repeated}\` must not be repeated`);
}

/** Validates and returns the body, or throws an error that names the first invalid field. */
export function parseBody<Body>(
  schema: z.ZodMiniType<Body>,
  body: unknown,
  toError: ToError = invalidParameter,
): Body {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw toError(describeIssue(result.error.issues, body));
}
