import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';

import { completion, streamPieces, streams } from './responses.ts';

// The server of a benchmark run. It does little work, so that the clients dominate the measurements. Runs as a child
// process: sends its port when it is ready, and its counters on request.

const vendorHeaders = {
  'x-request-id': 'req_1',
  'x-svc-charge-usd': '0.0001',
  'x-svc-wallet': 'unified',
  'x-svc-concurrency-limit': '100000',
  'x-svc-concurrency-remaining': '99000',
  'x-svc-concurrency-source': 'tier_enterprise',
};

const json = { ...vendorHeaders, 'content-type': 'application/json' };
const eventStream = { ...vendorHeaders, 'content-type': 'text/event-stream' };

const bodies = new Map(
  Object.entries(streams).map(([name, shape]) => [name, streamPieces(shape)] as const),
);

let openSockets = 0;
let peakSockets = 0;
let polls = 0;
/** Time of the first poll of each task. A task succeeds at the first poll more than 1.5 s later. */
const firstPolls = new Map<string, number>();

function respondToPoll(
  url: string,
  running: string,
  succeeded: string,
  response: ServerResponse,
): void {
  polls += 1;
  const id = /task_\d+/.exec(url)?.[0] ?? 'task_0';
  const now = Date.now();
  const firstPoll = firstPolls.get(id) ?? now;
  firstPolls.set(id, firstPoll);
  const done = now - firstPoll > 1_500;
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
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}

const length = Buffer.byteLength(completion);

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const url = request.url ?? '/';
    const [, endpoint = '', running = '', succeeded = ''] = url.split('/');
    const pieces = bodies.get(endpoint);
    if (endpoint === 'wait') respondToPoll(url, running, succeeded, response);
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

process.on('message', () => {
  process.send?.({ peakSockets, polls });
  peakSockets = openSockets;
  polls = 0;
  firstPolls.clear();
});
process.on('disconnect', () => process.exit());
