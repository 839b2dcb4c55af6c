/** A request, as a fault is matched with it. */
export interface FaultRequest {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The path as sent, without the query string. */
  readonly path: string;
  /** The query string including its `?`; empty if there is none. */
  readonly search: string;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body, or its text if it is not valid JSON; undefined if there is no body. */
  readonly body: unknown;
}

/** A failure to inject, and the requests that it affects. It stays active until removed unless `times` is set. */
export interface Fault {
  /**
   * Method and path as in the specification, such as `GET /v1/videos/{id}`. Applies to every request
   * if omitted.
   */
  route?: string | undefined;
  /** Id of a model: affects only requests whose body names it. */
  model?: string | undefined;
  /** Affects only requests for which this returns true. It is called if the route and the model match. */
  when?: ((request: FaultRequest) => boolean) | undefined;
  /** Maximum number of requests that the fault affects. */
  times?: number | undefined;
  /**
   * Affects only the nth matching request, or several of them. Requests are counted from 1, starting when the fault is
   * injected.
   */
  attempt?: number | readonly number[] | undefined;
  /** Probability from 0 to 1 that a matching request is affected. The gateway's `seed` determines which ones are. */
  probability?: number | undefined;

  /** Responds with this status. The request is neither handled nor charged. */
  status?: number | undefined;
  /**
   * The error code; by default, the usual code of the status. Errors of the key balance endpoint have
   * no code: setting one selects the standard error envelope.
   */
  code?: string | undefined;
  /** The error message; by default, one that matches the status. */
  message?: string | undefined;
  /** With `status`, `code` or `body`: the request is still handled and charged; only its response is replaced. */
  handled?: boolean | undefined;
  /** The `Retry-After` header: seconds, or any text. Only with `status`, `code` or `body`. */
  retryAfter?: number | string | undefined;
  /** Headers to set on the response, successful or not; `null` removes a header. */
  headers?: Record<string, string | null> | undefined;
  /** Responds with this body instead of the error envelope: an object as JSON, a string unchanged. */
  body?: unknown;

  /** Refuses the connection: the request is neither received nor recorded. */
  unreachable?: boolean | undefined;
  /** Drops the connection before the request is handled, or after it was handled and charged. */
  reset?: 'before' | 'after' | undefined;
  /** Handles the request immediately but delays the response, in clock milliseconds. It holds its slot until then. */
  delayMs?: number | undefined;
  /** Handles the request but never responds: the slot is held until the client disconnects. */
  stallHeaders?: boolean | undefined;
  /** Handles the request, sends this many bytes of the response body and then stalls with the connection open. */
  stallBody?: number | undefined;
  /** Handles the request and drops the connection after this many bytes of the response body. */
  truncateBody?: number | undefined;
  /** Handles the request and ends the event stream after this many data events. */
  cutStreamAfter?: number | undefined;
  /** How `cutStreamAfter` ends the stream. @defaultValue 'reset' */
  cut?: 'reset' | 'end' | undefined;
  /** Handles the request and ends the event stream with an error object after this many data events. */
  streamErrorAfter?: number | undefined;
  /** Handles the request and responds with status 200 and invalid JSON. */
  malformed?: boolean | undefined;
  /** Splits the response body into chunks of this many bytes. */
  splitBytes?: number | undefined;
}
