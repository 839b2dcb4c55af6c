import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';

import { describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';

import { AbortedError, ChatStream, StreamTruncatedError } from '../../../src/index.ts';
import {
  deltaEvent,
  doneEvent,
  textEvent,
  finishEvent,
  streamOf,
} from '../../support/event-stream.ts';
import { rejection } from '../../support/rejection.ts';

const pieces = [
  deltaEvent({ role: 'assistant', content: '' }),
  textEvent('Hél'),
  textEvent('lo'),
  finishEvent(),
  doneEvent,
];

describe('over a real socket, a relayed stream', () => {
  /** Starts a server that opens a stream for each request and relays it to the client. */
  async function serve(open: () => ChatStream, { onTestFinished }: TestContext): Promise<string> {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // Node's own type and the global type describe the same class.
      const readable = open().toReadableStream() as NodeStream;
      pipeline(Readable.fromWeb(readable), response).catch(() => undefined);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    // The address of a server that listens on a port is an object.
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function openStream(url: string): Promise<ChatStream> {
    const { body: readable } = await fetch(url);
    if (readable === null) throw new Error('no body');
    return ChatStream.fromReadableStream(readable);
  }

  test('reaches a page completely or with its error', async (context) => {
    const complete = await openStream(await serve(() => streamOf(pieces), context));
    expect(await complete.final()).toEqual(await streamOf(pieces).final());
    const truncated = await openStream(await serve(() => streamOf([textEvent('a')]), context));
    const error = await rejection(StreamTruncatedError, truncated.final());
    expect(error.partial?.choices[0]?.message.content).toBe('a');
  });

  test('is aborted on the server when the page disconnects', async (context) => {
    const streams: ChatStream[] = [];
    const url = await serve(() => {
      const stream = streamOf([textEvent('a')], 'stall');
      streams.push(stream);
      return stream;
    }, context);
    for await (const { choices } of await openStream(url)) if (choices.length > 0) break;
    await expect(streams[0]?.final()).rejects.toBeInstanceOf(AbortedError);
  });
});
