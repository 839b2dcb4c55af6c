import { http } from 'msw';
import type { HttpHandler } from 'msw';

import type { MockGateway } from './gateway.ts';

/** Options of {@link handlers}. */
export interface HandlersOptions {
  /**
   * The origin to answer for, where the code under test uses another one. @defaultValue
   * mock.baseURL
   */
  baseURL?: string | undefined;
}

/**
 * The gateway as request handlers of Mock Service Worker: everything under its origin is answered
 * by it, unknown paths with its 404.
 *
 * @example
 * ```ts
 * const mock = createMockGateway();
 * const server = setupServer(...handlers(mock));
 * ```
 */
export function handlers(mock: MockGateway, options: HandlersOptions = {}): HttpHandler[] {
  const { origin } = new URL(options.baseURL ?? mock.baseURL);
  const answer = async ({ request }: { request: Request }): Promise<Response> => {
    try {
      return await mock.fetch(request);
    } catch {
      // How a handler says that the network failed; the request's own abort never gets this far.
      return Response.error();
    }
  };
  return [http.all(({ request }) => new URL(request.url).origin === origin, answer)];
}
