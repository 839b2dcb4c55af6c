import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { completion, deliveries, streamPieces, streams, vendorHeaders } from './responses.ts';

// The server of a benchmark run. It does little work, so that the clients dominate the measurements. Runs as a child
// process: sends its port when it is ready, and replies to commands.

const json = { ...vendorHeaders, 'content-type': 'application/json' };
const eventStream = { ...vendorHeaders, 'content-type': 'text/event-stream' };

/** The writes of each stream, by the start of its path. */
const bodies = new Map<string, Buffer[]>(
  Object.entries(streams).flatMap(([name, shape]) =>
    deliveries.map((delivery) => [`${name}-${delivery}`, streamPieces(shape, delivery)] as const),
  ),
);

let openSockets = 0;
let peakSockets = 0;
let polls = 0;
let submits = 0;
/** When all tasks succeed, in ms since the epoch. */
let tasksEndAt = 0;

function respondWithTask(request: IncomingMessage, response: ServerResponse): void {
  const [, , running, succeeded] = request.url!.split('/');
  if (request.method === 'POST') submits += 1;
  else polls += 1;
  const id = /task_\w+/.exec(request.url!)?.[0] ?? `task_s${submits}`;
  const done = Date.now() >= tasksEndAt;
  const result = `https://files.example/${id}.png`;
  const body = JSON.stringify({
    id,
    task_id: id,
    object: 'image.generation.job',
    status: done ? succeeded : running,
    progress: done ? '100%' : '45%',
    created_at: 1_780_000_000,
    model: 'bench',
    image_url: done ? result : null,
    output: done ? [result] : null,
    response_url: result,
  });
  response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

async function respondWithStream(pieces: Buffer[], response: ServerResponse): Promise<void> {
  response.writeHead(200, eventStream);
  for (const piece of pieces) {
    if (!response.write(piece)) await once(response, 'drain');
    // Node joins the writes of one turn of the event loop.
    else await nextTurn();
  }
  response.end();
}

const length = Buffer.byteLength(completion);

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const endpoint = request.url!.split('/', 2)[1]!;
    const pieces = bodies.get(endpoint);
    if (endpoint === 'wait') respondWithTask(request, response);
    else if (pieces !== undefined) void respondWithStream(pieces, response);
    else response.writeHead(200, { ...json, 'content-length': length }).end(completion);
  });
});
server.on('connection', (socket) => {
  openSockets += 1;
  peakSockets = Math.max(peakSockets, openSockets);
  socket.on('close', () => (openSockets -= 1));
});
server.keepAliveTimeout = 30_000;
server.listen({ port: 0, host: '127.0.0.1', backlog: 20_000 }, () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});

/** A request of the benchmark; the server replies with its counters. */
export interface Command {
  /** Resets the counters, and makes all tasks succeed after this time in ms. */
  tasksEndInMs?: number;
  closeIdleSockets?: boolean;
}

process.on('message', ({ tasksEndInMs, closeIdleSockets }: Command) => {
  process.send?.({ peakSockets, polls });
  if (closeIdleSockets) server.closeIdleConnections();
  if (tasksEndInMs === undefined) return;
  tasksEndAt = Date.now() + tasksEndInMs;
  peakSockets = openSockets;
  polls = 0;
});
process.on('disconnect', () => process.exit());
