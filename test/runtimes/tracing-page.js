// The script of a page with OpenTelemetry's web SDK. The script of a context manager starts it.
import { context, propagation, trace } from '@opentelemetry/api';
import { FetchInstrumentation } from '@opentelemetry/instrumentation-fetch';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  WebTracerProvider,
} from '@opentelemetry/sdk-trace-web';
import { Polygate } from 'polygate';
import { openTelemetry } from 'polygate/otel';

import { pathsOf } from './telemetry.js';

const question = {
  model: 'aurora-chat',
  messages: [{ role: 'user', content: 'Describe a harbor' }],
};
const image = { model: 'prism-image', prompt: 'A harbor' };
const material = { url: 'https://files.example/a.png', type: 'image' };
const polls = { pollInterval: 100 };

const calls = {
  list: (gateway) => gateway.models.list(),
  stream: (gateway) => gateway.chat.completions.stream(question).final(),
  fetch: (gateway) => gateway.fetch('/v1/status').then((response) => response.text()),
  generate: (gateway) => gateway.images.generate(image, polls),
  register: (gateway) => gateway.materials.register(material, polls),
  batch: (gateway) =>
    readAll(gateway.batch(['A'], () => gateway.images.submission(image), { ...polls, id: String })),
};

async function readAll(items) {
  for await (const item of items) if (item.error) throw item.error;
}

/** Makes `actions.trace()` available, which makes each call inside a span of its name and returns the paths of all spans. */
export function start(contextManager) {
  const exporter = new InMemorySpanExporter();
  const provider = new WebTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register({ contextManager });
  const instrumentation = new FetchInstrumentation();
  const tracer = trace.getTracer('page');

  async function traceWith(options) {
    const gateway = new Polygate({
      apiKey: null,
      baseURL: '/api/gateway',
      telemetry: openTelemetry(),
      ...options,
    });
    for (const [name, call] of Object.entries(calls)) {
      await tracer.startActiveSpan(name, (span) => {
        const called = call(gateway);
        span.end();
        return called;
      });
    }
    // The instrumentation ends a span up to 300 ms after its response.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const paths = pathsOf(exporter.getFinishedSpans());
    exporter.reset();
    return paths;
  }

  globalThis.actions = {
    async trace() {
      const report = {
        plain: await traceWith({}),
        hooked: await traceWith({ hooks: { afterResponse: [() => {}] } }),
      };
      instrumentation.disable();
      for (const api of [context, propagation, trace]) api.disable();
      return report;
    },
  };
}
