import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';
import { createProxy } from 'proxy';
import { generate } from 'selfsigned';

import { handleNodeRequest } from './node-adapter.ts';

/** A reference gateway with TLS, whose CA is in a file, and a proxy that requires a password. */
export interface ProxiedGateway {
  mock: MockGateway;
  /** Environment variables that send a client to the gateway, through the proxy. */
  environment: Readonly<Record<string, string>>;
  /** The URL of the proxy with a wrong password. */
  wrongProxyURL: string;
  /** A folder with `corporate-ca.pem`. */
  folder: string;
  /** How many connections have gone through the proxy. */
  tunnels: () => number;
  close: () => Promise<void>;
}

export async function startProxiedGateway(): Promise<ProxiedGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'polygate-proxy-'));
  const ca = await createCertificate('Corporate CA');
  const { private: key, cert } = await createCertificate('localhost', ca);
  await writeFile(join(folder, 'corporate-ca.pem'), ca.cert);

  const mock = createMockGateway();
  const handler = async (request: Request) => mock.fetch(request);
  const gateway = createSecureServer({ key, cert }, (incoming, outgoing) => {
    void handleNodeRequest(handler, incoming, outgoing);
  });
  const proxy = createProxy(createServer());
  const expected = `Basic ${btoa('ann:secret')}`;
  proxy.authenticate = ({ headers }) => headers['proxy-authorization'] === expected;
  let tunnels = 0;
  // The proxy adds its own listener, which rejects requests without the password.
  proxy.on('connect', ({ headers }) => {
    if (headers['proxy-authorization'] === expected) tunnels += 1;
  });
  const [gatewayPort, proxyPort] = [await start(gateway), await start(proxy)];
  const proxyURL = `http://ann:secret@127.0.0.1:${proxyPort}`;
  return {
    mock,
    environment: {
      NO_PROXY: '',
      no_proxy: '',
      POLYGATE_API_KEY: mock.apiKey,
      POLYGATE_BASE_URL: `https://localhost:${gatewayPort}`,
      HTTPS_PROXY: proxyURL,
      https_proxy: proxyURL,
    },
    wrongProxyURL: `http://ann:wrong@127.0.0.1:${proxyPort}`,
    folder,
    tunnels: () => tunnels,
    close: async () => {
      for (const server of [gateway, proxy]) {
        server.closeAllConnections();
        server.close();
      }
      await rm(folder, { recursive: true });
    },
  };
}

type Certificate = Awaited<ReturnType<typeof generate>>;

/** Creates a certificate: that of a CA, or one that a CA has signed. */
function createCertificate(name: string, ca?: Certificate): Promise<Certificate> {
  const attributes = [{ name: 'commonName', value: name }];
  if (ca === undefined) {
    return generate(attributes, {
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    });
  }
  return generate(attributes, {
    ca: { key: ca.private, cert: ca.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });
}

async function start(server: Pick<Server, 'listen' | 'address'>): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}
