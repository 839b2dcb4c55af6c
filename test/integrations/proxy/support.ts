import { createServer, request as openRequest } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { MockGateway, MockGatewayOptions } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { createProxyHandler } from 'polygate/proxy';
import type { ProxyHandler, ProxyOptions } from 'polygate/proxy';
import { onTestFinished } from 'vitest';

import { handleNodeRequest } from '../../support/node-adapter.ts';
import type { Handler } from '../../support/node-adapter.ts';

/** An API key that must never appear in any output. */
export const canary = 'sk-canary-51c7';

/** The mount path of the proxy. */
export const mount = '/api/gateway';

export type { Handler };

/** A reference gateway on one socket and a proxy in front of it on another. */
export interface ProxySetup {
  mock: MockGateway;
  /** Origin of the gateway. */
  gatewayURL: string;
  handler: ProxyHandler;
  /** Origin of the proxy. */
  origin: string;
  /** Errors reported to `onError`. */
  reports: unknown[];
  /** Creates a client as a page would, signed in as `user`. */
  page: (options?: PolygateOptions, user?: string) => Polygate;
}

/** Starts a gateway and a proxy for the duration of one test. */
export async function startProxy(
  options: Partial<ProxyOptions> = {},
  mockOptions: MockGatewayOptions = {},
  serve: (handler: Handler) => Promise<string> = serveWithNode,
): Promise<ProxySetup> {
  const mock = createMockGateway({
    keys: [{ key: canary }],
    tasks: { durationMs: 0 },
    materials: { durationMs: 0 },
    ...mockOptions,
  });
  const gateway = await listen(mock);
  onTestFinished(() => gateway.close());
  const reports: unknown[] = [];
  const handler = createProxyHandler({
    apiKey: canary,
    baseURL: gateway.baseURL,
    authorize: ({ headers }) => headers.get('x-user'),
    onError: (error) => void reports.push(error),
    ...options,
  });
  const origin = await serve(handler);
  const page: ProxySetup['page'] = (clientOptions = {}, user = 'ann') =>
    new Polygate({
      apiKey: null,
      baseURL: origin + mount,
      headers: { 'x-user': user },
      logLevel: 'off',
      ...clientOptions,
    });
  return { mock, gatewayURL: gateway.baseURL, handler, origin, reports, page };
}

/** A loopback origin where no server listens. */
export async function unusedOrigin(): Promise<string> {
  const server = createServer();
  const baseURL = await serveLocally(server);
  await new Promise((resolve) => server.close(resolve));
  return baseURL;
}

/** Listens on a free port until the end of the test and returns the origin. */
export async function serveLocally(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves a handler with `node:http`, as docs/browsers-and-proxy.md shows it. */
export async function serveWithNode(handler: Handler): Promise<string> {
  return serveLocally(
    createServer((incoming, outgoing) => void handleNodeRequest(handler, incoming, outgoing)),
  );
}

/** A request whose path is sent without normalization. */
export interface RawRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | readonly string[];
}

/** The response to a {@link RawRequest}. */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The `code` of the error body. */
  code: string | undefined;
}

/** Sends a request without normalizing its path, unlike `fetch`. */
export async function sendRaw(
  origin: string,
  { method = 'GET', path, headers = {}, body }: RawRequest,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const outgoing = openRequest({ hostname, port, method, path, headers, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => resolve(read(incoming)));
    for (const chunk of typeof body === 'string' ? [body] : (body ?? [])) outgoing.write(chunk);
    outgoing.end();
  });
}

async function read(incoming: IncomingMessage): Promise<RawResponse> {
  const body = await text(incoming);
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body,
    code: body.startsWith('{"error"') ? JSON.parse(body).error.code : undefined,
  };
}
