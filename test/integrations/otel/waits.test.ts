import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { openTelemetry } from 'polygate/otel';
import { describe, expect, test } from 'vitest';

import type { Journal } from '../../../src/index.ts';
import { drain } from '../../client/support.ts';
import { eventsOf, image, material, observed, statusesOf } from './observed.ts';

describe('a wait is an internal span over its polls', () => {
  const poll = '  GET /v1/images/tasks/{id}';

  test('with task.wait, linked to the submission', async () => {
    const memory = observed();
    const { gateway, settle, outline, span } = memory;
    const task = await settle(gateway.images.submit(image));
    await settle(task.wait());
    expect(outline()).toEqual(['generate_image prism-image', 'wait image', poll]);
    const submit = span('generate_image prism-image').spanContext();
    expect(span('wait image').links.map(({ context }) => context)).toEqual([submit]);
    expect(statusesOf(memory.span('wait image'))).toEqual(['running', 'succeeded']);
  });

  test('with updates', async () => {
    const memory = observed();
    const { gateway, settle, outline, span } = memory;
    const task = await settle(gateway.images.submit(image));
    await settle(drain(task.updates()));
    expect(outline()).toEqual(['generate_image prism-image', 'wait image', poll]);
    expect(statusesOf(memory.span('wait image'))).toEqual(['running', 'succeeded']);
    expect(span('wait image').attributes['gen_ai.request.model']).toBe('prism-image');
  });

  test('with updates that are left early, which is no error', async () => {
    const memory = observed();
    const { gateway, settle, span } = memory;
    const task = await settle(gateway.images.submit(image));
    const left = async () => {
      for await (const update of task.updates()) if (update) break;
    };
    await settle(left());
    expect(statusesOf(memory.span('wait image'))).toEqual(['running']);
    expect(span('wait image')).toMatchObject({ status: { code: SpanStatusCode.UNSET } });
    expect(span('wait image').attributes).not.toHaveProperty('error.type');
  });

  test('with updates that are never read, is not started', async () => {
    const { gateway, settle, outline } = observed();
    const task = await settle(gateway.images.submit(image));
    task.updates();
    expect(outline()).toEqual(['generate_image prism-image']);
  });

  test('of a task that is known to be finished, without polls', async () => {
    const memory = observed();
    const { gateway, settle, spans } = memory;
    const task = await settle(gateway.images.submit(image));
    await settle(task.wait());
    const { length } = spans();
    await settle(task.wait());
    const [again, ...others] = spans().slice(length);
    expect([again?.name, others]).toEqual(['wait image', []]);
    expect(again && eventsOf(again, 'polygate.status')).toEqual([
      { 'polygate.status': 'succeeded' },
    ]);
  });

  test('with the wait of a namespace, and of a receipt in the same process', async () => {
    const { gateway, settle, outline, spans } = observed();
    const task = await settle(gateway.images.submit(image));
    await settle(gateway.images.wait(task.id));
    await settle(gateway.resume(task.toJSON()).wait());
    expect(outline()).toEqual(['generate_image prism-image', 'wait image', poll]);
    const [submit, ...others] = spans();
    const waits = others.filter(({ name }) => name === 'wait image');
    const linked = waits.map(({ links }) => links.map(({ context }) => context));
    expect(linked).toEqual([[submit?.spanContext()], [submit?.spanContext()]]);
  });

  test('with a span for each path that a poll tries', async () => {
    const { gateway, settle, outline } = observed({ assumptions: { A2: 'images/generations' } });
    const task = await settle(gateway.images.submit(image));
    await settle(gateway.images.wait(task.id));
    const [, ...lines] = outline();
    expect(new Set(lines)).toEqual(
      new Set(['wait image', poll, '  GET /v1/images/generations/{id}']),
    );
  });

  test('without a link if another process, and so another telemetry, has submitted the task', async () => {
    const { gateway, settle, tracerProvider, spans } = observed();
    const task = await settle(gateway.images.submit(image));
    const other = gateway.withOptions({ telemetry: openTelemetry({ tracerProvider }) });
    await settle(other.resume(task.toJSON()).wait());
    expect(spans().at(-1)).toMatchObject({ name: 'wait image', links: [] });
  });

  test('of a material, with register', async () => {
    const memory = observed();
    const { gateway, settle, outline, span } = memory;
    await settle(gateway.materials.register(material));
    expect(outline()).toEqual([
      'POST /v1/materials',
      'wait material',
      '  GET /v1/materials/{material_id}',
    ]);
    expect(statusesOf(memory.span('wait material'))).toEqual(['processing', 'available']);
    expect(span('wait material').kind).toBe(SpanKind.INTERNAL);
    expect(span('wait material').attributes).toEqual({ 'gen_ai.provider.name': 'polygate' });
    expect(span('POST /v1/materials').attributes).not.toHaveProperty('polygate.task_id');
  });

  test('of a material, with materials.wait', async () => {
    const memory = observed();
    const { gateway, settle, outline } = memory;
    const { id } = await settle(gateway.materials.create(material));
    await settle(gateway.materials.wait(id));
    expect(outline()).toEqual([
      'POST /v1/materials',
      'wait material',
      '  GET /v1/materials/{material_id}',
    ]);
    expect(statusesOf(memory.span('wait material'))).toEqual(['processing', 'available']);
  });
});

test('each row of a batch is a submission and a wait', async () => {
  const { gateway, settle, outline, spans } = observed({
    clock: 'system',
    tasks: { durationMs: 1 },
  });
  const rows = gateway.batch(
    ['A', 'B'],
    (prompt) => gateway.images.submission({ ...image, prompt }),
    {
      pollInterval: 1,
    },
  );
  await settle(drain(rows));
  expect(
    outline()
      .toSorted()
      .filter((line, index, lines) => line !== lines[index - 1]),
  ).toEqual(['  GET /v1/images/tasks/{id}', 'generate_image prism-image', 'wait image']);
  const submits = spans().filter(({ name }) => name.startsWith('generate_image'));
  const links = spans().flatMap((span) => span.links.map(({ context }) => context.spanId));
  expect(new Set(links)).toEqual(new Set(submits.map((span) => span.spanContext().spanId)));
  expect(submits).toHaveLength(2);
});

test('a recovered row is a wait, with a link if the same process has submitted it', async () => {
  const { gateway, settle, tracerProvider, spans } = observed({ tasks: { durationMs: 60_000 } });
  const lines: string[] = [];
  const journal: Journal = {
    async *read() {
      yield* lines.slice();
    },
    append: async (line) => void lines.push(line),
  };
  const describeRow = () => gateway.images.submission(image);
  await settle(drain(gateway.batch(['A'], describeRow, { journal, waitTimeout: 1000 })));
  await settle(drain(gateway.recover(journal, { waitTimeout: 1000 })));
  const other = gateway.withOptions({ telemetry: openTelemetry({ tracerProvider }) });
  await settle(drain(other.recover(journal)));
  const ended = spans().filter(({ name }) => !name.startsWith('GET'));
  expect(
    ended.map(({ name, links, attributes }) => [name, links.length, attributes['error.type']]),
  ).toEqual([
    ['generate_image prism-image', 0, undefined],
    ['wait image', 1, 'TaskWaitTimeoutError'],
    ['wait image', 1, 'TaskWaitTimeoutError'],
    ['wait image', 0, undefined],
  ]);
});
