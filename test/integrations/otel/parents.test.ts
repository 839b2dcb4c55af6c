import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { Context, ContextManager } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, describe, expect, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import { drain } from '../../client/support.ts';
import { chatParams as withTools, tool } from '../../support/tools.ts';
import { chat, image, material, observed } from './observed.ts';
import type { Observed } from './observed.ts';

/** Knows the active context only until the first `await`, as in browsers without zones. */
class SynchronousContextManager implements ContextManager {
  #active = ROOT_CONTEXT;

  active() {
    return this.#active;
  }

  with<Args extends unknown[], Run extends (...args: Args) => ReturnType<Run>>(
    entered: Context,
    work: Run,
    self?: ThisParameterType<Run>,
    ...args: Args
  ): ReturnType<Run> {
    const before = this.#active;
    this.#active = entered;
    try {
      return Reflect.apply(work, self, args);
    } finally {
      this.#active = before;
    }
  }

  bind<Target>(_: Context, target: Target) {
    return target;
  }

  enable() {
    return this;
  }

  disable() {
    return this;
  }
}

afterEach(() => {
  context.disable();
});

/** Runs `work` with an active span of the application. Returns the tree of spans below it. */
async function outlineIn(memory: Observed, work: (gateway: Polygate) => unknown) {
  const active = memory.tracerProvider.getTracer('app').startSpan('request');
  const result = context.with(trace.setSpan(context.active(), active), () => work(memory.gateway));
  await memory.settle(Promise.resolve(result));
  active.end();
  return memory.outline();
}

describe.each([
  ['AsyncLocalStorage', () => new AsyncLocalStorageContextManager()],
  ['a manager that knows no asynchronous context', () => new SynchronousContextManager()],
])('with %s, the span that is active in the caller is the parent', (_, createManager) => {
  test.each<[string, (gateway: Polygate) => unknown, string[]]>([
    ['create', (gateway) => gateway.chat.completions.create(chat), ['  chat aurora-chat']],
    [
      'withResponse',
      (gateway) => gateway.chat.completions.create(chat).withResponse(),
      ['  chat aurora-chat'],
    ],
    [
      'asResponse',
      async (gateway) => (await gateway.chat.completions.create(chat).asResponse()).text(),
      ['  chat aurora-chat'],
    ],
    ['stream', (gateway) => gateway.chat.completions.stream(chat).final(), ['  chat aurora-chat']],
    [
      'run',
      (gateway) => gateway.chat.completions.run({ ...withTools, tools: [tool('get_weather')] }),
      ['  chat aurora-chat'],
    ],
    [
      'gateway.fetch',
      (gateway) =>
        gateway.fetch(new Request(`${gateway.baseURL}/v1/models`, { headers: { accept: '*/*' } })),
      ['  GET /v1/models'],
    ],
    [
      'generate',
      (gateway) => gateway.images.generate(image),
      [
        '  generate image',
        '    generate_image prism-image',
        '    wait image',
        '      GET /v1/images/tasks/{id}',
      ],
    ],
    [
      'a failing wait',
      (gateway) => gateway.images.wait('task_1').catch(() => undefined),
      ['  wait image', '    GET /v1/images/tasks/{id}'],
    ],
    [
      'register',
      (gateway) => gateway.materials.register(material),
      ['  POST /v1/materials', '  wait material', '    GET /v1/materials/{material_id}'],
    ],
  ])('of %s', async (__, work, spans) => {
    context.setGlobalContextManager(createManager().enable());
    const outline = await outlineIn(observed(), work);
    expect([...new Set(outline)]).toEqual(['request', ...spans]);
  });
});

describe('fetch runs with the span of its call active', () => {
  test.each<[string, (gateway: Polygate) => Promise<unknown>]>([
    ['a call', (gateway) => gateway.models.list()],
    ['a stream', (gateway) => drain(gateway.chat.completions.stream(chat))],
    ['gateway.fetch', (gateway) => gateway.fetch('/v1/models')],
    ['a submission and its polls', (gateway) => gateway.images.generate(image)],
  ])('for %s, in every attempt', async (_, work) => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const active: unknown[] = [];
    const memory = observed();
    memory.mock.fail({ status: 503, attempt: 1 });
    const gateway = memory.gateway.withOptions({
      fetch: async (input, init) => {
        active.push(trace.getActiveSpan());
        return memory.mock.fetch(input, init);
      },
    });
    await memory.settle(work(gateway));
    const calls = memory.started.filter(({ name }) => !/^(generate|wait) /.test(name));
    const [retried, ...others] = calls;
    expect(active).toEqual([retried, retried, ...others]);
  });

  test('even with hooks', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const active: unknown[] = [];
    const beforeRequest = [() => void active.push(trace.getActiveSpan())];
    const { gateway, settle, started } = observed({}, { hooks: { beforeRequest } });
    await settle(gateway.models.list());
    expect(active).toEqual(started);
  });
});
