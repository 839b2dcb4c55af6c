import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { APIError } from '../../../src/index.ts';
import {
  clientOf,
  contents,
  doneEvent,
  finishEvent,
  params,
  streamHeaders,
  textEvent,
} from '../../support/event-stream.ts';
import { eventually } from '../../support/eventually.ts';
import { virtualClock } from '../support.ts';

type Reply = (response: ServerResponse) => unknown;

let reply: Reply;
let connectionCount = 0;
/** Responses whose connection was closed before they had ended. */
let cutResponses = 0;
let baseURL: string;

const server = createServer((request, response) => {
  response.on('close', () => {
    if (!response.writableFinished) cutResponses += 1;
  });
  request.resume().on('end', () => void reply(response));
}).on('connection', () => {
  connectionCount += 1;
});

beforeEach(async () => {
  connectionCount = 0;
  cutResponses = 0;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo;
  baseURL = `http://127.0.0.1:${port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

/** A client whose time limits never expire, however busy the machine is. */
const patientClient = () => clientOf(globalThis.fetch, { baseURL, clock: virtualClock() });

const tails: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  'at once': (response) => response.end(doneEvent),
  'after a moment': async (response) => {
    response.write(doneEvent);
    await sleep(10);
    response.end();
  },
  'after several more pieces': async (response) => {
    for (const piece of [doneEvent, '\n', ': bye\n\n', textEvent('ignored')]) {
      response.write(piece);
      await sleep(5);
    }
    response.end();
  },
};

test.each(Object.entries(tails))(
  'a stream whose body ends %s after [DONE] is read to its end, and its connection is used again',
  async (_, end) => {
    const gateway = patientClient();
    for (let round = 1; round <= 3; round += 1) {
      let hasEnded = false;
      reply = (response) => {
        response.on('close', () => {
          hasEnded = true;
        });
        response.writeHead(200, streamHeaders).write(textEvent('a') + finishEvent());
        return end(response);
      };
      expect(await contents(gateway.chat.completions.stream(params))).toEqual(['a', '']);
      await eventually(() => expect(hasEnded).toBe(true));
      await sleep(5);
    }
    expect({ connectionCount, cutResponses }).toEqual({ connectionCount: 1, cutResponses: 0 });
  },
);

test.each([
  ['goes on forever', ': a comment\n\n', 5],
  ['goes on forever at full speed', ': '.padEnd(65_536, 'x') + '\n\n', 0],
  ['stays open', '', 5],
])('a stream whose body %s after [DONE] is canceled', async (_, piece, pause) => {
  reply = async (response) => {
    response.writeHead(200, streamHeaders).write(textEvent('a') + finishEvent() + doneEvent);
    while (!response.destroyed) {
      if (piece !== '') response.write(piece);
      await sleep(pause);
    }
  };
  const { completions } = clientOf(globalThis.fetch, { baseURL }).chat;
  expect(await contents(completions.stream(params))).toEqual(['a', '']);
  await eventually(() => expect(cutResponses).toBe(1));
});

test('bodies of results, errors and deletions are read to their end on one connection', async () => {
  const gateway = patientClient();
  const material = JSON.stringify({ id: 'mat_1', status: 'deleted', pad: 'x'.repeat(100_000) });
  const error = JSON.stringify({ error: { message: 'no', pad: 'x'.repeat(100_000) } });
  const calls: [number, string, () => Promise<unknown>][] = [
    [200, material, () => gateway.materials.retrieve('mat_1')],
    [200, material, () => gateway.materials.delete('mat_1')],
    [404, error, () => gateway.materials.retrieve('mat_2')],
    [400, error, () => gateway.chat.completions.stream(params).final()],
  ];
  for (const [status, body, call] of calls) {
    reply = async (response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).write(body.slice(0, 50));
      await sleep(5);
      response.end(body.slice(50));
    };
    const outcome = await call().catch((failure: unknown) => failure);
    expect(outcome instanceof APIError).toBe(status >= 400);
    await sleep(5);
  }
  expect({ connectionCount, cutResponses }).toEqual({ connectionCount: 1, cutResponses: 0 });
});
