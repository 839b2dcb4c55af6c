import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createProxyHandler } from 'polygate/proxy';
import { Agent } from 'undici';
import { describe, expect, test } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { caught, chat, drain, firstEvent, image } from '../support.ts';

/** A service that responds like this and never ends its response, and Node's own `fetch` with short limits of undici. */
async function slowService(respond: (response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => respond(response));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const dispatcher = new Agent({ headersTimeout: 50, bodyTimeout: 50 });
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await dispatcher.destroy();
  };
  const { port } = server.address() as AddressInfo;
  const limitedFetch: typeof fetch = (input, init) =>
    fetch(input, Object.assign({ dispatcher }, init));
  return { baseURL: `http://127.0.0.1:${port}`, fetch: limitedFetch, [Symbol.asyncDispose]: close };
}

const noHeaders = () => undefined;
const startBody = (type: string, text: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': type });
  response.write(text);
};
const aboutHeaders =
  /UND_ERR_HEADERS_TIMEOUT.* Node's own fetch waits at most 300 s for data.* Stream the response, pass fetch: nodeFetch\(\)/;
const aboutBody =
  /UND_ERR_BODY_TIMEOUT.* Node's own fetch waits at most 300 s for data.* Stream the response, pass fetch: nodeFetch\(\)/;

type Call = (gateway: Polygate) => Promise<unknown>;
const cases: readonly [string, (response: ServerResponse) => void, Call, RegExp][] = [
  ['a chat', noHeaders, (gateway) => gateway.chat.completions.create(chat), aboutHeaders],
  ['a submission', noHeaders, (gateway) => gateway.images.submit(image), aboutHeaders],
  [
    'a stream without headers',
    noHeaders,
    (gateway) => drain(gateway.chat.completions.stream(chat)),
    aboutHeaders,
  ],
  [
    'a chat whose body stops',
    startBody('application/json', '{"id":'),
    (gateway) => gateway.chat.completions.create(chat),
    aboutBody,
  ],
  [
    'a stream that stops',
    startBody('text/event-stream', firstEvent),
    (gateway) => drain(gateway.chat.completions.stream(chat)),
    aboutBody,
  ],
];

describe.concurrent("a limit of undici, which Node's own fetch has", () => {
  test.each(cases)('in %s is named, with what to do', async (_, respond, call, message) => {
    await using service = await slowService(respond);
    const { baseURL, fetch } = service;
    const options = { apiKey: 'sk-test', baseURL, fetch, maxRetries: 0, logLevel: 'off' } as const;
    const error = await caught(call(new Polygate(options)));
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(error.message).toContain('may have been charged');
  });

  test('is named to the operator of a proxy', async () => {
    await using service = await slowService(noHeaders);
    const { baseURL, fetch } = service;
    const reports: Error[] = [];
    const handler = createProxyHandler({
      apiKey: 'sk-test',
      baseURL,
      fetch,
      authorize: () => 'ann',
      onError: (error) => void (error instanceof Error && reports.push(error)),
    });
    const response = await handler(
      new Request('https://app.example/api/gateway/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(chat),
      }),
    );
    expect(response.status).toBe(502);
    expect(reports.map(String)).toEqual([expect.stringMatching(aboutHeaders)]);
  });
});
