/** Records the example conversation of docs/mcp.md: a client calls the MCP server, which uses the reference gateway. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';

const root = new URL('../', import.meta.url);
const guide = new URL('docs/mcp.md', root);
const pathTo = (path: string) => fileURLToPath(new URL(path, root));
const video = { model: 'tide-video', prompt: 'The lighthouse at dusk, slow zoom', duration: 5 };
const calls: [name: string, args: object][] = [
  ['generate_image', { model: 'prism-image', prompt: 'A lighthouse at dusk', n: 2 }],
  ['generate_video', video],
  ['get_task', {}],
  ['generate_video', { ...video, duration: 10 }],
];

const folder = mkdtempSync(join(tmpdir(), 'polygate-mcp-'));
const mock = createMockGateway({
  tasks: { durationMs: ({ kind }) => (kind === 'video' ? 3000 : 0) },
});
const server = await listen(mock);
const lines: string[] = [];
try {
  const client = new Client({ name: 'example', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [
        '--import',
        pathTo('test/from-source.ts'),
        pathTo('src/tools/cli/polygate.ts'),
        'mcp',
        '--max-usd=0.2',
        '--wait=1',
        `--output=${join(folder, 'media')}`,
      ],
      env: {
        POLYGATE_BASE_URL: server.baseURL,
        POLYGATE_API_KEY: mock.apiKey,
        XDG_STATE_HOME: join(folder, 'state'),
      },
      stderr: 'ignore',
    }),
  );
  for (const [name, given] of calls) {
    const args = name === 'get_task' ? { task_id: mock.tasks.at(-1)?.id } : given;
    lines.push(`> ${name} ${JSON.stringify(args)}`, await call(client, name, { ...args }), '');
  }
  await client.close();
} finally {
  await server.close();
  rmSync(folder, { recursive: true });
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  const text = textOf(content);
  // However slow the machine is, get_task is shown with the result.
  const isShown = name !== 'get_task' || !text.includes('not finished');
  return isShown ? text : call(client, name, args);
}

function textOf(content: readonly { type: string; text?: unknown }[]): string {
  return content
    .map(({ type, text }) => (typeof text === 'string' ? text : `(${type}: a preview)`))
    .join('\n');
}

// What differs from run to run.
const conversation = lines
  .join('\n')
  .trimEnd()
  .replaceAll(folder, '/home/ada')
  .replaceAll(server.baseURL, 'https://gateway.example')
  .replaceAll(/expires=\d+/g, 'expires=1767225600000')
  .replaceAll(/(image|video)-[\da-f]{12}/g, '$1-8ba21a6b0474')
  .replaceAll(/Key: mcp-[\da-f]+/g, 'Key: mcp-9295d1a1281f…');

const page = readFileSync(guide, 'utf8');
const heading = '## An example conversation\n';
const [before = '', after = ''] = page.split(heading);
const block = `\`\`\`text\n${conversation}\n\`\`\``;
writeFileSync(guide, before + heading + after.replace(/```text\n[^]*?\n```/, () => block));
