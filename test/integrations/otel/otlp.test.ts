import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { runFromSource } from '../../run-from-source.ts';

/** A receiver of OTLP over HTTP, and the bodies that it has received, by path. */
async function startReceiver() {
  const bodies = new Map<string, any[]>();
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '' } = request;
    bodies.set(url, [...(bodies.get(url) ?? []), await json(request)]);
    response.setHeader('content-type', 'application/json').end('{}');
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    /** What the client has reported in a list of the bodies, such as the spans. */
    received: (path: string, list: string, items: string): any[] =>
      (bodies.get(path) ?? [])
        .flatMap((body) => body[`resource${list}`])
        .flatMap((resource) => resource[`scope${list}`])
        .filter(({ scope }) => scope.name === 'polygate')
        .flatMap((scope) => scope[items]),
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Attributes in OTLP are a list of typed values. */
const attributesOf = ({ attributes }: any) =>
  Object.fromEntries(attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]));

test('the span and the metrics of a submission whose response was lost arrive at an OTLP receiver', async () => {
  await using receiver = await startReceiver();
  const { code, stdout, stderr } = await runFromSource(new URL('./otlp-app.ts', import.meta.url), {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORTER: 'none',
    },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('Error') });

  const [span, ...others] = receiver.received('/v1/traces', 'Spans', 'spans');
  expect(others).toEqual([]);
  expect(span).toMatchObject({ name: 'generate_image prism-image', kind: 3 });
  expect(attributesOf(span)).toMatchObject({
    'gen_ai.operation.name': 'generate_image',
    'polygate.task_id': stdout.trim(),
    'polygate.replayed': true,
  });
  const retry = span.events.find(({ name }: any) => name === 'polygate.retry');
  expect(attributesOf(retry)).toMatchObject({ 'polygate.attempt': 1 });

  const metrics = new Map(
    receiver
      .received('/v1/metrics', 'Metrics', 'metrics')
      .map((metric) => [metric.name, metric.sum ?? metric.histogram]),
  );
  expect(new Set(metrics.keys())).toEqual(
    new Set([
      'gen_ai.client.inference.duration',
      'polygate.client.charge',
      'polygate.client.requests.in_flight',
    ]),
  );
  const [charge] = metrics.get('polygate.client.charge').dataPoints;
  expect(charge.asDouble).toBeGreaterThan(0);
  expect(metrics.get('polygate.client.requests.in_flight').dataPoints[0].asDouble).toBe(0);
  expect(metrics.get('gen_ai.client.inference.duration').dataPoints[0].count).toBe(1);
});
