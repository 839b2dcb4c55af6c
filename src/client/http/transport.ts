import type { Part } from './part.ts';

/** The options of `fetch` for one request. */
export interface HttpRequest {
  method: string;
  headers: Record<string, string>;
  /** The serialized body: every attempt sends the same bytes. */
  body: string | Uint8Array<ArrayBuffer> | null;
  signal: AbortSignal;
  redirect: 'manual';
  cache?: 'no-store';
}

/** The attempt of a call that a request belongs to. */
export interface Attempt {
  /** The number of earlier attempts of the call. */
  readonly retryCount: number;
  /**
   * Called right before the request is handed to `fetch`. Without this call, nothing was sent. Throws if the time of the
   * call is up, or it was aborted: nothing may be sent then. A transport that runs hooks passes the headers that they may
   * have changed.
   */
  readonly onSend: (changed?: Headers) => void;
  /**
   * The budget of the call, if it has one. While hooks run, requests that they send must not wait for it. It takes its turn
   * right before `onSend`.
   */
  readonly budget?:
    | {
        readonly pauseTurn: () => void;
        readonly takeTurn: (signal: AbortSignal) => Promise<void>;
      }
    | undefined;
  /** Called by a transport that runs hooks, with the response as the service sent it, before a hook sees it. */
  readonly onResponse: (response: Response) => void;
}

/**
 * Sends one request, once, and resolves with the response whatever its status. Retries, timeouts and error statuses are
 * handled by the caller.
 */
export interface Transport {
  (url: string, request: HttpRequest, attempt: Attempt): Promise<Response>;
  /** What has to be loaded before it is first called. */
  readonly part?: Part<unknown>;
}

/** A transport that calls `fetch` with the URL, its options and the body as a string. */
export function createFetchTransport(fetch: typeof globalThis.fetch): Transport {
  return (url, request, { onSend, budget }) => {
    const send = () => {
      onSend();
      return fetch(url, request);
    };
    return budget ? budget.takeTurn(request.signal).then(send) : send();
  };
}
