import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type {
  Http2ServerRequest,
  Http2ServerResponse,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { generate } from 'selfsigned';

/** What happens to the next POST in place of a response. */
export type Http2Fault = (stream: ServerHttp2Stream, session: ServerHttp2Session) => void;

/** A reference gateway with TLS and HTTP/2. */
export interface Http2Gateway {
  readonly mock: MockGateway;
  readonly baseURL: string;
  /** The certificate, which clients have to trust. */
  readonly certificate: string;
  /** Every session that was opened, in order. */
  readonly sessions: readonly ServerHttp2Session[];
  /** The number of POST streams received, including those with a fault. */
  readonly posts: () => number;
  /** Lets the next POSTs fail, one per fault, before the gateway sees them. */
  fail(...faults: readonly Http2Fault[]): void;
  close(): void;
}

/** Creating a key takes a while, so all gateways of a test file share one. */
let certificate: ReturnType<typeof createCertificate> | undefined;

function createCertificate() {
  return generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
}

/** Starts a gateway whose HTTP/2 streams and connections can be made to fail. */
export async function startHttp2Gateway(): Promise<Http2Gateway> {
  const mock = createMockGateway();
  const pem = await (certificate ??= createCertificate());
  const sessions: ServerHttp2Session[] = [];
  const faults: Http2Fault[] = [];
  let posts = 0;
  const server = createSecureServer({ key: pem.private, cert: pem.cert });
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream) => void stream.on('error', () => undefined));
  server.on('request', (request, response) => {
    void receive(request).then(async (body) => {
      const { session } = request.stream;
      if (request.method === 'POST') posts += 1;
      const fault = request.method === 'POST' ? faults.shift() : undefined;
      if (fault && session) fault(request.stream, session as ServerHttp2Session);
      else await respond(mock, request, response, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    mock,
    baseURL: `https://localhost:${port}`,
    certificate: pem.cert,
    sessions,
    posts: () => posts,
    fail: (...added) => void faults.push(...added),
    close: () => {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

async function receive(request: Http2ServerRequest): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

async function respond(
  mock: MockGateway,
  { method, url, headers }: Http2ServerRequest,
  response: Http2ServerResponse,
  body: Buffer,
): Promise<void> {
  const result = await mock.fetch(
    new Request(`https://localhost${url}`, {
      method,
      headers: Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => !name.startsWith(':'))
          .map(([name, value]) => [name, String(value)]),
      ),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    }),
  );
  if (response.stream.destroyed) return;
  response.writeHead(result.status, Object.fromEntries(result.headers));
  for await (const piece of result.body ?? []) response.write(piece);
  response.end();
}
