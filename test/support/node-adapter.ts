import type { IncomingMessage, ServerResponse } from 'node:http';

import { toNodeHandler } from 'polygate/node';

/** A handler as `createProxyHandler` returns it. */
export type Handler = (request: Request) => Promise<Response>;

/** Handles a request of Node's HTTP server as the guide shows it. */
export async function handleNodeRequest(
  handler: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  await toNodeHandler(handler)(incoming, outgoing);
}
