import { http } from 'msw';
import type { HttpHandler } from 'msw';

import type { MockGateway } from './gateway.ts';
import { checkNames } from './option-names.ts';

/** Options of {@link handlers}. */
export interface HandlersOptions {
  /** The origin to intercept, if the code under test uses another one. @defaultValue mock.baseURL */
  baseURL?: string | undefined;
}

/**
 * Creates request handlers for Mock Service Worker. The gateway responds to every request to its
 * origin; unknown paths get a 404.
 *
 * @throws `ConfigurationError` if an option is unknown.
 *
 * @example
 * ```ts
 * const mock = createMockGateway();
 * const server = setupServer(...handlers(mock));
 * ```
 */
export function handlers(mock: MockGateway, options: HandlersOptions = {}): HttpHandler[] {
  checkNames(options, { baseURL: true });
  const { origin } = new URL(options.baseURL ?? mock.baseURL);
  const respond = async ({ request }: { request: Request }): Promise<Response> => {
    try {
      return await mock.fetch(request);
    } catch {
      // A network error in MSW's terms. MSW itself handles aborted requests.
      return Response.error();
    }
  };
  return [http.all(({ request }) => new URL(request.url).origin === origin, respond)];
}
