import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { Polygate } from '../../../../src/index.ts';
import { createMockGateway } from '../../../../src/mock/index.ts';
import type { MockGatewayOptions } from '../../../../src/mock/index.ts';
import { listen, recordings } from '../../../../src/mock/node/index.ts';
import type { RecordingOptions } from '../../../../src/mock/node/index.ts';

export const canary = 'sk-canary-4f1d9b7a2c';

/** A gateway on a socket, and the path of a tape that does not exist yet. */
export async function startRecording(options: MockGatewayOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'polygate-tape-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'tapes/app.json');
  const mock = createMockGateway({
    keys: [{ key: canary }],
    tasks: { durationMs: 150 },
    ...options,
  });
  const server = await listen(mock);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  onTestFinished(close);
  const clientOf = (fetch: typeof globalThis.fetch, apiKey = canary) =>
    new Polygate({
      apiKey,
      baseURL: server.baseURL,
      fetch,
      allowInsecureBaseURL: true,
      logLevel: 'off',
      random: () => 0,
    });
  return {
    mock,
    clientOf,
    path,
    baseURL: server.baseURL,
    /** Runs a program while it is recorded. Afterwards, the gateway no longer exists. */
    async record<Result>(
      program: (gateway: Polygate, fetch: typeof globalThis.fetch) => Promise<Result>,
      recordingOptions: RecordingOptions = {},
    ): Promise<Result> {
      const tape = recordings(path, { mode: 'record', ...recordingOptions });
      const result = await program(clientOf(tape.fetch), tape.fetch);
      await tape.save();
      await close();
      return result;
    },
    replay(recordingOptions: RecordingOptions = {}) {
      const tape = recordings(path, { mode: 'replay', ...recordingOptions });
      return { tape, gateway: clientOf(tape.fetch, 'sk-another-key-1') };
    },
    readTape: () => readFile(path, 'utf8'),
  };
}

export const chat = (content: string) => ({
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content }],
});

export const image = { model: 'prism-image', prompt: 'A harbor' };
