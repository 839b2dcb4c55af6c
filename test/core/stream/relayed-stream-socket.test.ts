import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';

import { describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';

import { AbortedError, ChatStream, StreamTruncatedError } from '../../../src/index.ts';
import { adds, done, says, stops, streamOf } from '../../support/event-stream.ts';
import { rejection } from '../../support/rejection.ts';

const pieces = [adds({ role: 'assistant', content: '' }), says('Hél'), says('lo'), stops(), done];

describe('over a real socket', () => {
  /** A server that hands the stream of each request on to whoever asks. */
  async function serve(open: () => ChatStream, { onTestFinished }: TestContext): Promise<string> {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // The types of Node and of the platform name the same class.
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
    // The server listens on a port, so its address is an object.
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function visit(url: string): Promise<ChatStream> {
    const { body: readable } = await fetch(url);
    if (readable === null) throw new Error('no body');
    return ChatStream.fromReadableStream(readable);
  }

  test('a page reads the whole stream, or learns why there is none', async (context) => {
    const whole = await visit(await serve(() => streamOf(pieces), context));
    expect(await whole.final()).toEqual(await streamOf(pieces).final());
    const cut = await visit(await serve(() => streamOf([says('a')]), context));
    const error = await rejection(StreamTruncatedError, cut.final());
    expect(error.partial?.choices[0]?.message.content).toBe('a');
  });

  test('a page that leaves ends the request of the server', async (context) => {
    const streams: ChatStream[] = [];
    const url = await serve(() => {
      const stream = streamOf([says('a')], 'stall');
      streams.push(stream);
      return stream;
    }, context);
    for await (const { choices } of await visit(url)) if (choices.length > 0) break;
    await expect(streams[0]?.final()).rejects.toBeInstanceOf(AbortedError);
  });
});
