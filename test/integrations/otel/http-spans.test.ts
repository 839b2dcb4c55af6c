import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { nodeFetch } from 'polygate/node';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { tracedGateway } from './traced-gateway.ts';

const messages = [{ role: 'user' as const, content: 'Hello' }];
const question = { model: 'aurora-chat', messages };
const image = { model: 'prism-image', prompt: 'A harbor' };

let service: Awaited<ReturnType<typeof tracedGateway>>;
let instrumentation: UndiciInstrumentation;

beforeEach(async () => {
  service = await tracedGateway();
  // After the providers are registered, because it keeps its tracer.
  instrumentation = new UndiciInstrumentation();
});
afterEach(async () => {
  instrumentation.disable();
  await service[Symbol.asyncDispose]();
});

/** The traceparent headers of the requests that the service has received, without the version and flags. */
const received = () =>
  service.mock.requests.map(({ headers }) => headers['traceparent']?.split('-').slice(1, 3));

const cases = {
  'without hooks': {},
  'with hooks': { hooks: { afterResponse: [() => {}] } },
  'over nodeFetch': { fetch: nodeFetch() },
};

test.each(Object.entries(cases))(
  'each attempt of a call is an HTTP span below the one of the call, %s',
  async (_, options) => {
    service.mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', attempt: 1 });
    const gateway = service.createClient({ ...options, random: () => 0, logLevel: 'error' });
    await service.inSpan('caller', () => gateway.images.submit(image));
    expect(service.paths()).toEqual([
      'caller',
      'caller > generate_image prism-image',
      'caller > generate_image prism-image > POST',
      'caller > generate_image prism-image > POST',
    ]);
    const [caller] = service.idsOf('caller');
    const attempts = service.idsOf('POST').map(({ spanId }) => [caller?.traceId, spanId]);
    expect(received()).toEqual(attempts);
  },
);

test.each(Object.entries(cases))(
  'a stream, a request of gateway.fetch and polls send the traceparent of their trace, %s',
  async (_, options) => {
    const gateway = service.createClient(options);
    await service.inSpan('caller', async () => {
      await gateway.chat.completions.stream(question).final();
      await (await gateway.fetch('/v1/models')).text();
      await gateway.images.generate(image, { pollInterval: 100 });
    });
    expect(new Set(service.paths())).toEqual(
      new Set([
        'caller',
        'caller > chat aurora-chat',
        'caller > chat aurora-chat > POST',
        'caller > GET /v1/models',
        'caller > GET /v1/models > GET',
        'caller > generate image',
        'caller > generate image > generate_image prism-image',
        'caller > generate image > generate_image prism-image > POST',
        'caller > generate image > wait image',
        'caller > generate image > wait image > GET /v1/images/tasks/{id}',
        'caller > generate image > wait image > GET /v1/images/tasks/{id} > GET',
      ]),
    );
    const [caller] = service.idsOf('caller');
    expect(received().map((ids) => ids?.[0])).toEqual(
      service.mock.requests.map(() => caller?.traceId),
    );
  },
);
