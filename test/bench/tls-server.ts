import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';

import { completion, vendorHeaders } from './responses.ts';

// A server that responds to every request with a completion, over TLS with HTTP/2 or HTTP/1.1, whichever the client
// negotiates. Runs as a child process: gets the files of its key and certificate, and sends its port when it is ready.

const [key = '', cert = ''] = process.argv.slice(2);
const headers = {
  ...vendorHeaders,
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(completion),
};

const server = createSecureServer(
  { key: readFileSync(key), cert: readFileSync(cert), allowHTTP1: true },
  (request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, headers).end(completion));
  },
);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
process.on('disconnect', () => process.exit());
