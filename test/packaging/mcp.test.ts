import { expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

test('the MCP server runs with its peer, and names it otherwise', async () => {
  const app = await createApp('mcp', [inject('tarball')]);
  await addFixture(app, 'mcp.mjs');
  const without = JSON.parse(await run('node', ['mcp.mjs'], app));
  expect(without).toMatchObject({ code: 2, stdout: '' });
  expect(without.stderr).toContain('npm install @modelcontextprotocol/server');

  const complete = await createApp('mcp-peer', [
    inject('tarball'),
    '@modelcontextprotocol/server@2.4.0',
  ]);
  await addFixture(complete, 'mcp.mjs');
  const { code, stdout, charges } = JSON.parse(await run('node', ['mcp.mjs'], complete));
  expect({ code, charges }).toEqual({ code: 0, charges: 1 });
  expect(stdout).toMatch(/Saved: .*media\/image-[\da-f]{12}\.png/);
});
