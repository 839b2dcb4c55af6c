/** An app whose users each have a budget of $0.10 per day, and see what is left of it. Open the printed URL. */
import { createServer } from 'node:http';

import { toNodeHandler } from 'polygate/node';

import { startGateway } from '../support/gateway.ts';

const stop = await startGateway();
const { app } = await import('./app.ts');

const handler = toNodeHandler((request) => app.fetch(request));
const server = createServer((incoming, outgoing) => void handler(incoming, outgoing));
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  console.log(`http://127.0.0.1:${port}  (Ctrl-C stops it)`);
});

process.once('SIGINT', () => {
  server.close();
  server.closeAllConnections();
  void stop();
});
