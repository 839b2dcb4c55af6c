import { expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

/** The supported major versions of the SDK. Each requires its own version of the API. */
const sdks = [
  {
    major: 2,
    version: '2.12.0',
    api: '1.9.1',
    name: 'sdk-trace-base',
    provider: 'BasicTracerProvider',
  },
  { major: 3, version: '3.1.1', api: '1.10.0', name: 'sdk-trace', provider: 'TracerProvider' },
];

test.each(sdks)(
  'an app with SDK $major of OpenTelemetry traces a chat, and an image whose response is lost',
  async ({ major, version, api, name, provider }) => {
    const packages = [name, 'sdk-metrics', 'context-async-hooks'];
    const app = await createApp(`opentelemetry-${major}`, [
      inject('tarball'),
      `@opentelemetry/api@${api}`,
      ...packages.map((each) => `@opentelemetry/${each}@${version}`),
    ]);
    await addFixture(app, 'telemetry.mjs');
    const output = await run('node', ['telemetry.mjs', `@opentelemetry/${name}`, provider], app);
    const { spans, charged, invoiced, errors } = JSON.parse(output);
    const internal = { kind: 0, status: 0, retries: 0 };
    const client = { ...internal, kind: 2 };
    expect(spans).toEqual([
      { ...client, name: 'chat aurora-chat', parent: 'caller', replayed: false },
      {
        ...client,
        name: 'generate_image prism-image',
        parent: 'generate image',
        retries: 1,
        replayed: true,
      },
      { ...internal, name: 'wait image', parent: 'generate image' },
      { ...internal, name: 'generate image', parent: 'caller' },
      { ...internal, name: 'caller' },
    ]);
    expect(errors).toEqual([]);
    expect(charged).toBeCloseTo(invoiced);
    expect(invoiced).toBeGreaterThan(0);
  },
);
