import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
/** What the diagnosis says about addresses at which there is no gateway. */
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { LLMock } from '@copilotkit/aimock';
import { Polygate } from 'polygate';
import type { PolygateOptions } from 'polygate';
import { diagnose } from 'polygate/doctor';
import type { Diagnosis } from 'polygate/doctor';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';

import { addressOf, checkDiagnosis, findingOf, idsWith, startMock } from './diagnosed-mock.ts';

const apiKey = 'sk-secret-of-the-gateway';

/** Starts a server and returns its port and the requests that it has received. Closed when the test has finished. */
async function serve(
  listener: RequestListener,
  create = createServer as (handler: RequestListener) => Server,
) {
  const received: { url: string; authorization: string | undefined }[] = [];
  const server = create((request, response) => {
    received.push({ url: request.url ?? '', authorization: request.headers.authorization });
    return listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, received };
}

/** Diagnoses an address that is no gateway: one check fails, and the others are skipped for this reason. */
async function diagnoseAt(baseURL: string, options: PolygateOptions = {}): Promise<Diagnosis> {
  const gateway = new Polygate({ apiKey, baseURL, logLevel: 'off', ...options });
  const diagnosis = await diagnose({ gateway, maxSpendUsd: 1 });
  checkDiagnosis(diagnosis, apiKey);
  expect(diagnosis.spentUsd).toBe(0);
  expect(idsWith(diagnosis, 'failed')).toEqual(['reachable']);
  const others = diagnosis.checks.filter(({ id }) => id !== 'reachable');
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['skipped']));
  expect(new Set(others.map(({ detail }) => detail)).size).toBe(1);
  return diagnosis;
}

const page = '<!doctype html><html><head><title>Welcome to Acme</title></head></html>';

test.each([200, 404])('an HTML page with status %i is recognized by its title', async (status) => {
  const { port, received } = await serve((_, response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end(page),
  );
  const diagnosis = await diagnoseAt(`http://127.0.0.1:${port}`);
  expect(findingOf(diagnosis, 'reachable')).toMatchObject({
    detail: `http://127.0.0.1:${port} serves an HTML page instead of an API: GET /v1/status returned status ${status}, with the title "Welcome to Acme".`,
    advice: expect.stringContaining('baseURL'),
  });
  expect(received.map(({ authorization }) => authorization)).not.toContain(`Bearer ${apiKey}`);
});

test('another OpenAI-compatible service is recognized, and receives no API key', async () => {
  const other = new LLMock({ port: 0 });
  onTestFinished(() => other.stop());
  await other.start();
  const sent: (string | null)[] = [];
  const diagnosis = await diagnoseAt(other.url, {
    fetch: (input, init) => {
      sent.push(new Headers(init?.headers).get('authorization'));
      return fetch(input, init);
    },
  });
  expect(findingOf(diagnosis, 'reachable').detail).toContain('OpenAI-compatible service');
  expect(new Set(sent)).toEqual(new Set([null]));
});

test('a service whose models need a different key is recognized', async () => {
  const { port } = await serve(({ url }, response) => {
    const status = url === '/v1/models' ? 401 : 404;
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: 'No' } }));
  });
  const diagnosis = await diagnoseAt(`http://127.0.0.1:${port}`);
  expect(findingOf(diagnosis, 'reachable').detail).toContain('OpenAI-compatible service');
});

test('another JSON API is recognized', async () => {
  const { port } = await serve((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"hello":"world"}'),
  );
  const diagnosis = await diagnoseAt(`http://127.0.0.1:${port}`);
  expect(findingOf(diagnosis, 'reachable').detail).toContain('serves JSON, but not the API');
});

test('a server that never responds ends the run after one attempt', async () => {
  const { mock, base } = startMock();
  mock.fail({ stallHeaders: true });
  const gateway = new Polygate(base);
  const diagnosis = await mock.clock.settle(diagnose({ gateway }));
  checkDiagnosis(diagnosis, mock.apiKey);
  expect(findingOf(diagnosis, 'reachable')).toMatchObject({
    status: 'failed',
    detail: `The server at ${mock.baseURL} did not respond within 10 s.`,
  });
  expect(mock.requests).toHaveLength(1);
});

test('a certificate that is not trusted leads to the option of Node.js that trusts it', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const { port } = await serve(
    (_, response) => response.end(),
    (listener) => createTlsServer({ key, cert }, listener),
  );
  const diagnosis = await diagnoseAt(`https://localhost:${port}`);
  const { detail, advice } = findingOf(diagnosis, 'reachable');
  expect(detail).toMatch(/certificate that is not trusted.*self-signed/);
  expect(advice).toContain('NODE_EXTRA_CA_CERTS');
  expect(advice).not.toMatch(/REJECT_UNAUTHORIZED|rejectUnauthorized/);
});

test('a certificate for another host is recognized', async () => {
  const { detail } = findingOf(
    await diagnoseAt('https://gateway.example', {
      fetch: () =>
        Promise.reject(
          new TypeError('fetch failed', {
            cause: Object.assign(new Error("Hostname/IP does not match certificate's altnames"), {
              code: 'ERR_TLS_CERT_ALTNAME_INVALID',
            }),
          }),
        ),
    }),
    'reachable',
  );
  expect(detail).toContain('certificate for another name');
});

test('a captive portal is named by the origin to which it redirects', async () => {
  const { port, received } = await serve((_, response) =>
    response.writeHead(302, { location: 'http://portal.example/login?from=secret' }).end(),
  );
  const { detail, advice, option } = findingOf(
    await diagnoseAt(`http://127.0.0.1:${port}`),
    'reachable',
  );
  expect(detail).toContain('redirects to http://portal.example.');
  expect(detail).not.toContain('secret');
  expect(advice).toContain('sign in');
  expect(option).toBeUndefined();
  expect(received.every(({ authorization }) => authorization === undefined)).toBe(true);
});

test('a redirect to https on the same host becomes the new base URL', async () => {
  const diagnosis = await diagnoseAt('http://gateway.example', {
    allowInsecureBaseURL: true,
    fetch: async (input) =>
      new Response(null, {
        status: 308,
        headers: { location: addressOf(input).replace('http:', 'https:') },
      }),
  });
  expect(findingOf(diagnosis, 'reachable').option).toEqual({ baseURL: 'https://gateway.example' });
});

test('a closed port is recognized', async () => {
  const { port } = await closedPort();
  const { detail } = findingOf(await diagnoseAt(`http://127.0.0.1:${port}`), 'reachable');
  expect(detail).toContain('refuses connections');
});

test('https to a port that speaks http is recognized', async () => {
  const { port } = await serve((_, response) => response.end());
  const { detail } = findingOf(await diagnoseAt(`https://127.0.0.1:${port}`), 'reachable');
  expect(detail).toContain('does not speak TLS');
});

test('http to a port that speaks https is recognized', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const { port } = await serve(
    (_, response) => response.end(),
    (listener) => createTlsServer({ key, cert }, listener),
  );
  const { advice } = findingOf(await diagnoseAt(`http://127.0.0.1:${port}`), 'reachable');
  expect(advice).toContain('a port for https does not respond to http');
});

test('a name that cannot be resolved is recognized', async () => {
  const { detail } = findingOf(await diagnoseAt('https://gateway.invalid'), 'reachable');
  expect(detail).toContain('cannot be resolved');
});

test('the error page of a proxy is recognized by its status and server', async () => {
  const { port } = await serve((_, response) =>
    response
      .writeHead(502, { 'content-type': 'text/html', server: 'nginx' })
      .end('<html><title>502 Bad Gateway</title></html>'),
  );
  const { detail } = findingOf(await diagnoseAt(`http://127.0.0.1:${port}`), 'reachable');
  expect(detail).toMatch(/proxy or load balancer.* status 502 from nginx.*"502 Bad Gateway"/);
});

test.each(['json', 'html'])(
  'a limit of requests (%s) is not taken for a missing gateway',
  async (type) => {
    const body = type === 'json' ? '{"error":{"message":"Slow down"}}' : page;
    const { port } = await serve((_, response) =>
      response.writeHead(429, { 'content-type': `text/${type}`, 'retry-after': '60' }).end(body),
    );
    const diagnosis = await diagnoseAt(`http://127.0.0.1:${port}`);
    expect(findingOf(diagnosis, 'reachable').advice).toBe(
      'The service limits requests: run doctor again later.',
    );
    expect(findingOf(diagnosis, 'wallet').detail).toBe(
      `The server at http://127.0.0.1:${port} responds with status 429.`,
    );
  },
);

/** A port at which nothing listens any more. */
async function closedPort() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { port };
}
