import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

/** A connection to Redis that can be lost between the execution of a command and its reply. */
export async function lossyRedis(url: string) {
  const target = new URL(url);
  let lost: string | undefined;
  let losses = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const redis = connect(Number(target.port), target.hostname);
    let isLost = false;
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        redis.destroy();
      });
    }
    client.on('data', (data) => {
      if (lost !== undefined && data.includes(lost)) {
        lost = undefined;
        losses += 1;
        isLost = true;
      }
      redis.write(data);
    });
    redis.on('data', (data) => {
      if (isLost) client.destroy();
      else client.write(data);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    /** Loses the reply to the next command that contains a text, with its connection. */
    loseReply(text: string) {
      lost = text;
    },
    /** How many replies were lost. */
    losses: () => losses,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
