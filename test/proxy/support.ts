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
import type { ProxyOptions } from 'polygate/proxy';
import { onTestFinished } from 'vitest';

import { handleNodeRequest } from '../support/node-adapter.ts';
import type { Handler } from '../support/node-adapter.ts';

/** The key that must not show anywhere. */
export const canary = 'sk-canary-51c7';

/** Where the proxy is mounted. */
export const mount = '/api/gateway';

export type { Handler };

/** A page's way to the gateway: a reference gateway on a socket, and a proxy before it on another. */
export interface Way {
  mock: MockGateway;
  /** Where the gateway listens. */
  gatewayURL: string;
  handler: Handler;
  /** The origin that the proxy is on. */
  origin: string;
  /** What the proxy reported. */
  reports: unknown[];
  /** A client as a page has it, signed in as a user. */
  page: (options?: PolygateOptions, user?: string) => Polygate;
}

/** Opens the way, for one test. */
export async function openWay(
  options: Partial<ProxyOptions> = {},
  mockOptions: MockGatewayOptions = {},
  serve: (handler: Handler) => Promise<string> = onNode,
): Promise<Way> {
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
  const page: Way['page'] = (more = {}, user = 'ann') =>
    new Polygate({
      apiKey: null,
      baseURL: origin + mount,
      headers: { 'x-user': user },
      logLevel: 'off',
      ...more,
    });
  return { mock, gatewayURL: gateway.baseURL, handler, origin, reports, page };
}

/** An address of this machine where nobody listens. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  const baseURL = await opened(server);
  await new Promise((resolve) => server.close(resolve));
  return baseURL;
}

/** Opens a server on a free port, until the end of the test; gives its origin. */
export async function opened(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves a handler with Node's own server, in the lines that the guide shows. */
export async function onNode(handler: Handler): Promise<string> {
  return opened(
    createServer((incoming, outgoing) => void handleNodeRequest(handler, incoming, outgoing)),
  );
}

/** A request as it goes over the wire: nothing tidies its path up. */
export interface Wire {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | readonly string[];
}

/** What came back. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The code of the error envelope. */
  code: string | undefined;
}

/** Sends a request just as it is. */
export async function send(
  origin: string,
  { method = 'GET', path, headers = {}, body }: Wire,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const outgoing = openRequest({ hostname, port, method, path, headers, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => resolve(read(incoming)));
    for (const piece of typeof body === 'string' ? [body] : (body ?? [])) outgoing.write(piece);
    outgoing.end();
  });
}

async function read(incoming: IncomingMessage): Promise<Reply> {
  const body = await text(incoming);
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body,
    code: body.startsWith('{"error"') ? JSON.parse(body).error.code : undefined,
  };
}
