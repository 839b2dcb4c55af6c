import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';

import { completion, streamPieces, streams } from './answers.ts';

// The one server of a run: cheap, so that what is measured is the clients. Forked; tells its port, and on request what
// it has counted.

const told = {
  'x-request-id': 'req_1',
  'x-svc-charge-usd': '0.0001',
  'x-svc-wallet': 'unified',
  'x-svc-concurrency-limit': '100000',
  'x-svc-concurrency-remaining': '99000',
  'x-svc-concurrency-source': 'tier_enterprise',
};

const json = { ...told, 'content-type': 'application/json' };
const eventStream = { ...told, 'content-type': 'text/event-stream' };

const bodies = new Map(
  Object.entries(streams).map(([name, shape]) => [name, streamPieces(shape)] as const),
);

let open = 0;
let peak = 0;
let polls = 0;
/** When each task was asked for first: it is over at the first poll a second and a half later. */
const seen = new Map<string, number>();

function answerPoll(url: string, running: string, over: string, response: ServerResponse): void {
  polls += 1;
  const id = /task_\d+/.exec(url)?.[0] ?? 'task_0';
  const now = Date.now();
  const since = seen.get(id) ?? now;
  seen.set(id, since);
  const done = now - since > 1_500;
  const result = `https://files.example/${id}.png`;
  const body = JSON.stringify({
    id,
    task_id: id,
    object: 'image.generation.job',
    status: done ? over : running,
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

async function answerStream(pieces: Buffer[], response: ServerResponse): Promise<void> {
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
    const [, work = '', running = '', over = ''] = url.split('/');
    const pieces = bodies.get(work);
    if (work === 'wait') answerPoll(url, running, over, response);
    else if (pieces !== undefined) void answerStream(pieces, response);
    else response.writeHead(200, { ...json, 'content-length': length }).end(completion);
  });
});
server.on('connection', (socket) => {
  open += 1;
  peak = Math.max(peak, open);
  socket.on('close', () => (open -= 1));
});
server.keepAliveTimeout = 30_000;
server.listen({ port: 0, host: '127.0.0.1', backlog: 20_000 }, () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});

process.on('message', () => {
  process.send?.({ peak, polls });
  peak = open;
  polls = 0;
  seen.clear();
});
process.on('disconnect', () => process.exit());
