import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, expect, inject, test } from 'vitest';

import { createApp } from './app.ts';
import { run } from './run.ts';

let app: string;

beforeAll(async () => {
  app = await createApp('react-18', [inject('tarball'), 'react@18.3.1', 'react-dom@18.3.1']);
});

test('the hooks render on a server with React 18, and send nothing', async () => {
  const script = `
    import { Polygate } from 'polygate';
    import { useBudget, useChat, useGeneration, useModels, useSpend } from 'polygate/react';
    import { createElement, version } from 'react';
    import { renderToString } from 'react-dom/server';

    const fetch = () => { throw new Error('Nothing must be sent.'); };
    const gateway = new Polygate({ apiKey: null, baseURL: 'https://app.example', fetch });
    function App() {
      const image = useGeneration(gateway.images, { id: 'hero' });
      const chat = useChat(gateway, { model: 'aurora-chat', id: 'main' });
      const { isLoading } = useModels(gateway, { type: 'chat' });
      const { totalUsd } = useSpend(gateway);
      const { budget } = useBudget({ url: '/budget', client: gateway, fetch });
      return [image.status, chat.status, isLoading, totalUsd, budget === undefined].join(' ');
    }
    console.log(version, renderToString(createElement(App)));
  `;
  await writeFile(join(app, 'app.mjs'), script);
  expect(await run('node', ['app.mjs'], app)).toBe('18.3.1 idle idle true 0 true\n');
});

test('the package accepts React 18 and 19, and needs neither', async () => {
  const manifest = await import(join(app, 'node_modules/polygate/package.json'), {
    with: { type: 'json' },
  });
  expect(manifest.default.peerDependencies.react).toBe('^18.0.0 || ^19.0.0');
  expect(manifest.default.peerDependenciesMeta.react).toEqual({ optional: true });
});
