import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGateway, MockGatewayOptions } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import { commandLine } from '../../tools/cli/program.ts';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A reference gateway, and folders of a user. */
export interface Setup {
  mock: MockGateway;
  env: Record<string, string>;
  /** Folder of the results. */
  output: string;
}

/** Starts a gateway whose tasks end at once, and creates folders. */
export async function setUp(options: MockGatewayOptions = {}): Promise<Setup> {
  const mock = createMockGateway({ tasks: { durationMs: 0 }, ...options });
  const server = await listen(mock);
  const folder = mkdtempSync(join(tmpdir(), 'polygate-mcp-'));
  cleanups.push(
    () => server.close(),
    () => {
      rmSync(folder, { recursive: true, force: true });
    },
  );
  const env = {
    POLYGATE_BASE_URL: server.baseURL,
    POLYGATE_API_KEY: mock.apiKey,
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  };
  return { mock, env, output: join(folder, 'media') };
}

/** The command that starts the server. */
export function serverCommand(
  { env, output }: Setup,
  args: readonly string[] = ['--max-usd', '2'],
) {
  const [command = '', ...rest] = commandLine('polygate', ['mcp', '--output', output, ...args]);
  const inherited = Object.entries(process.env).filter(([, value]) => value !== undefined);
  return { command, args: rest, env: { ...Object.fromEntries(inherited), ...env } as never };
}

/** A client that is connected to a new server. */
export async function connect(setup: Setup, args?: readonly string[]) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({ ...serverCommand(setup, args), stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (bytes) => (stderr += String(bytes)));
  await client.connect(transport);
  cleanups.push(() => client.close());
  return { client, transport, stderr: () => stderr };
}

/** What a tool has returned. */
export interface Reply {
  text: string;
  isError: boolean;
  images: { data: string; mimeType: string }[];
}

interface Caller {
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    ...rest: any[]
  ): Promise<any>;
}

/** Calls a tool, and returns the parts of its reply. */
export async function callTool(
  client: Caller,
  name: string,
  args: Record<string, unknown> = {},
  ...rest: unknown[]
): Promise<Reply> {
  const { content, isError = false } = await client.callTool({ name, arguments: args }, ...rest);
  const blocks: { type: string; text?: string; data?: string; mimeType?: string }[] = content;
  return {
    text: blocks
      .map(({ text }) => text ?? '')
      .join('\n')
      .trim(),
    isError,
    images: blocks.flatMap(({ type, data = '', mimeType = '' }) =>
      type === 'image' ? [{ data, mimeType }] : [],
    ),
  };
}
