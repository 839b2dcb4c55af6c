import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { generate } from 'selfsigned';

import type { ClientJob, Measurement } from './client-process.ts';
import type { Command } from './server.ts';

async function reply<Reply>(child: ChildProcess): Promise<Reply> {
  const exited = new AbortController();
  const onExit = () => exited.abort(new Error('a child process exited'));
  child.once('exit', onExit);
  const [message] = await once(child, 'message', { signal: exited.signal });
  child.off('exit', onExit);
  return message;
}

async function start(file: string, args: string[], execArgv: string[] = []): Promise<ChildProcess> {
  return fork(new URL(file, import.meta.url), args, { execArgv, cwd: import.meta.dirname });
}

/** The counters of the server since they were last reset. */
export interface Counters {
  /** Maximum number of open sockets. */
  peakSockets: number;
  polls: number;
}

/** Starts the server of a benchmark run. */
export async function startServer() {
  const child = await start('./server.ts', []);
  const port = await reply<number>(child);
  return {
    base: `http://127.0.0.1:${port}`,
    /** Sends a command and returns the counters from before it. */
    command: async (command: Command): Promise<Counters> => {
      child.send(command);
      return reply<Counters>(child);
    },
    stop: () => child.disconnect(),
  };
}

export type Server = Awaited<ReturnType<typeof startServer>>;

/** Starts a server with TLS and HTTP/2. Clients that are started later trust its certificate. */
export async function startTlsServer() {
  const pem = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const directory = mkdtempSync(join(tmpdir(), 'bench-tls-'));
  const key = join(directory, 'key.pem');
  const certificate = join(directory, 'certificate.pem');
  writeFileSync(key, pem.private);
  writeFileSync(certificate, pem.cert);
  process.env.NODE_EXTRA_CA_CERTS = certificate;
  const child = await start('./tls-server.ts', [key, certificate]);
  const port = await reply<number>(child);
  return { base: `https://localhost:${port}`, stop: () => child.disconnect() };
}

/** Starts a client in its own process. */
export async function startClient(
  name: string,
  { base }: Pick<Server, 'base'>,
  execArgv?: string[],
) {
  const child = await start('./client-process.ts', [name, base], execArgv);
  await reply(child);
  return {
    run: async (job: ClientJob): Promise<Measurement> => {
      child.send(job);
      const measurement = await reply<Measurement>(child);
      if (measurement.error !== undefined) throw new Error(measurement.error);
      return measurement;
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
