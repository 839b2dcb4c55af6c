/**
 * Traces an image whose first response is lost after the service has accepted and charged the task, then a chat, and
 * prints the trace and the metrics. Always uses a reference gateway, because only that can lose a response on request.
 */
import { trace } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { openTelemetry } from 'polygate/otel';

import { MemoryMetrics } from './support/memory-metrics.ts';
import { printTrace } from './support/print-trace.ts';

// An app would export to a collector instead: see docs/observability.md.
const spans = new InMemorySpanExporter();
const metrics = new MemoryMetrics();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();

const mock = createMockGateway({ latencyMs: 60, chunkDelayMs: 15, tasks: { durationMs: 2_000 } });
const task = { route: 'POST /v1/images/tasks', headers: { 'retry-after': '1' } };
mock.fail({ ...task, reset: 'after', times: 1 });
mock.fail(task);
const server = await listen(mock);

const gateway = new Polygate({
  apiKey: mock.apiKey,
  baseURL: server.baseURL,
  logLevel: 'error', // the trace shows the retry
  telemetry: openTelemetry({ meterProvider: new MeterProvider({ readers: [metrics] }) }),
});

await trace.getTracer('my-app').startActiveSpan('make poster', async (span) => {
  const params = { model: 'prism-image', prompt: 'A harbor at dawn' };
  await gateway.images.generate(params, { pollInterval: 1_000 });
  const chat = gateway.chat.completions.stream({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Write a title for a poster of a harbor' }],
    stream_options: { include_usage: true },
  });
  await chat.final();
  span.end();
});
await server.close();

const finished = spans.getFinishedSpans();
printTrace(finished);
console.log('\nmetrics:');
await metrics.print();
const events = finished.flatMap((span) => span.events);
console.log(
  `\nretries in the trace: ${events.filter(({ name }) => name === 'polygate.retry').length}`,
);
console.log('invoice of the gateway:');
for (const { model, usd } of mock.invoice) console.log(`  ${model.padEnd(14)}${usd} USD`);
