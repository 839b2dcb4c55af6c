import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { expect, onTestFinished } from 'vitest';

import type { PolygateOptions } from '../../../src/index.ts';
import type { MockGatewayOptions } from '../../../src/mock/index.ts';
import { onMock } from '../../client/support.ts';
import { wrongNames } from './names.ts';
import { recording } from './support.ts';

const messages = [{ role: 'user' as const, content: 'Hello' }];
export const chat = { model: 'aurora-chat', messages };
export const image = { model: 'prism-image', prompt: 'A harbor' };
export const video = { model: 'tide-video', prompt: 'A harbor' };
export const music = { model: 'anthem-music', prompt: 'A shanty' };
export const speech = { model: 'echo-speech', text: 'Ahoy', voice_id: 'calm-narrator' };
export const material = { url: 'https://files.example/a.png', type: 'image' as const };

export const inFlight = 'polygate.client.requests.in_flight';

/**
 * The reference gateway in virtual time and a client whose telemetry is recorded by the SDK, without a context manager.
 * When the test has finished, every span must have ended, no request may be in flight, and all names must be allowed.
 */
export function observed(
  settings: MockGatewayOptions = {},
  options: PolygateOptions = {},
  captureContent = false,
) {
  const memory = recording({ captureContent });
  const { mock, gateway } = onMock(settings, { telemetry: memory.telemetry, ...options });
  const { started, spans, metrics, points } = memory;

  onTestFinished(async () => {
    expect(started.filter(({ ended }) => !ended).map(({ name }) => name)).toEqual([]);
    expect((await points(inFlight)).filter(({ value }) => value !== 0)).toEqual([]);
    const exported = { spans: spans(), metrics: await metrics() };
    expect(wrongNames(exported, captureContent)).toEqual([]);
    // The message of an error may repeat the prompt.
    expect(spans().filter(({ status }) => status.message !== undefined)).toEqual([]);
  });

  return {
    ...memory,
    mock,
    gateway,
    settle: <Result>(promise: Promise<Result>) => mock.clock.settle(promise),
    /** The only span with this name, which must have ended. */
    span: (name: string) => only(spans().filter((span) => span.name === name)),
    /** The names of all spans as a tree, without repeated siblings. */
    outline: () => outlineOf(started),
    /** The number of requests in flight. */
    requestsInFlight: async () =>
      (await points(inFlight)).reduce((sum, { value = 0 }) => sum + value, 0),
    /** The sum of a counter, over all attributes. */
    total: async (name: string) =>
      (await points(name)).reduce((sum, { value = 0 }) => sum + value, 0),
  };
}

export type Observed = ReturnType<typeof observed>;

function only(spans: readonly ReadableSpan[]): ReadableSpan {
  const [span] = spans;
  if (span === undefined || spans.length > 1) throw new Error(`There are ${spans.length} spans.`);
  return span;
}

function outlineOf(spans: readonly ReadableSpan[], parent?: string, indent = ''): string[] {
  const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent);
  const lines = children.map((span) => [
    indent + span.name,
    ...outlineOf(spans, span.spanContext().spanId, `${indent}  `),
  ]);
  return lines
    .filter((line, index) => JSON.stringify(line) !== JSON.stringify(lines[index - 1]))
    .flat();
}

/** The events of a span with this name: their attributes. */
export const eventsOf = (span: ReadableSpan, name: string) =>
  span.events.filter((event) => event.name === name).map(({ attributes }) => attributes);

/** The statuses that a wait has recorded. */
export const statusesOf = (span: ReadableSpan) =>
  eventsOf(span, 'polygate.status').map((attributes) => attributes?.['polygate.status']);
