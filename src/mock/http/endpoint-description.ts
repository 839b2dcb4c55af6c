import type * as z from 'zod/mini';

/** How an endpoint authenticates its caller. */
export type Auth = 'none' | 'bearer' | 'any-key' | 'balance';

/** An endpoint definition; fields with defaults are optional. */
export interface EndpointOptions {
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
}
