import { isCloudflare } from '../config/environment.ts';

/** One HTTP request, ready to send. */
export interface HttpRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** The serialized body: every attempt sends the same bytes. */
  body: string | null;
  signal: AbortSignal;
}

/** The attempt of a call that a request belongs to. */
export interface Attempt {
  /** The number of earlier attempts of the call. */
  readonly retryCount: number;
  /** Called right before the request is handed to `fetch`. Without this call, nothing was sent. */
  readonly onSend: () => void;
  /** Called with the response as the service sent it, before anything else sees it. */
  readonly onResponse: (response: Response) => void;
}

/**
 * Sends one request, once, and resolves with the response whatever its status. Retries, timeouts and error statuses are
 * handled by the caller.
 */
export type Transport = (request: HttpRequest, attempt: Attempt) => Promise<Response>;

/** A transport that calls `fetch` with the URL, its options and the body as a string. */
export function createFetchTransport(fetch: typeof globalThis.fetch): Transport {
  return async ({ url, ...request }, { onSend, onResponse }) => {
    onSend();
    const response = await fetch(url, { ...fetchOptions(), ...request });
    onResponse(response);
    return response;
  };
}

/** The options of every `fetch`: redirects are not followed, because they could take the API key elsewhere. */
export function fetchOptions(): RequestInit {
  // Browsers and Next.js must not serve polls from a cache. Cloudflare Workers reject the option.
  return { redirect: 'manual', ...(!isCloudflare() && { cache: 'no-store' }) };
}
