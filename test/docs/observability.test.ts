import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { expect, onTestFinished, test } from 'vitest';

import { runFromSource } from '../run-from-source.ts';
import { guides, snippetsOf } from './guides.ts';

const snippets = guides
  .filter(({ path }) => path === 'docs/observability.md')
  .flatMap((guide) => snippetsOf(guide));

function fileOf(heading: string): URL {
  const snippet = snippets.find(({ title }) => title === `docs/observability.md: ${heading}`);
  if (snippet === undefined) throw new Error(`The guide has no snippet ${heading}`);
  return pathToFileURL(snippet.file);
}

/** Receives OTLP as JSON. Returns the environment variables that point to it, and what it has received. */
async function startCollector() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => bodies.push(body) && response.end('{}'));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${address.port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'posters',
    },
    received: () => bodies.join('\n'),
  };
}

test('the set-up for Node.js exports spans and metrics of a program that then ends by itself', async () => {
  const mock = createMockGateway({ tasks: { durationMs: 0 } });
  const gateway = await listen(mock);
  onTestFinished(() => gateway.close());
  const { env, received } = await startCollector();
  const run = await runFromSource(fileOf(''), {
    env: {
      ...env,
      NODE_OPTIONS: `--import ${fileOf('Set up Node.js').href}`,
      POLYGATE_API_KEY: mock.apiKey,
      POLYGATE_BASE_URL: gateway.baseURL,
    },
  });
  expect(run).toMatchObject({ code: 0, stdout: 'succeeded\n', stderr: '' });
  for (const name of ['generate image', 'generate_image prism-image', 'wait image']) {
    expect(received()).toContain(`"name":"${name}"`);
  }
  expect(received()).toContain('"name":"polygate.client.charge"');
  expect(received()).toContain('{"key":"service.name","value":{"stringValue":"posters"}}');
});

test('the environment variables that print the spans send nothing to a collector', async () => {
  const mock = createMockGateway({ tasks: { durationMs: 0 } });
  const gateway = await listen(mock);
  onTestFinished(() => gateway.close());
  const { env, received } = await startCollector();
  const guide = guides.find(({ path }) => path === 'docs/observability.md')?.text ?? '';
  const [, variables = ''] = /^- (.*): prints the spans/m.exec(guide) ?? [];
  const printing = Array.from(variables.matchAll(/`(\w+)=(\w+)`/g), ([, name, value]) => [
    name,
    value,
  ]);
  const run = await runFromSource(fileOf(''), {
    env: {
      ...env,
      ...Object.fromEntries(printing),
      NODE_OPTIONS: `--import ${fileOf('Set up Node.js').href}`,
      POLYGATE_API_KEY: mock.apiKey,
      POLYGATE_BASE_URL: gateway.baseURL,
    },
  });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain("name: 'generate_image prism-image'");
  expect(received()).toBe('');
});
