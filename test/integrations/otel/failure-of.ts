import { SpanStatusCode } from '@opentelemetry/api';
import { expect } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import { caught } from '../../client/support.ts';
import type { Observed } from './observed.ts';

/** The attributes of the span of a call that fails. Its span must agree with its error. */
export async function failureOf(
  memory: Observed,
  call: (gateway: Polygate) => Promise<unknown>,
  name: string,
) {
  const failure = await memory.settle(caught(call(memory.gateway)));
  const { attributes, status, events } = memory.span(name);
  expect(status).toEqual({ code: SpanStatusCode.ERROR });
  expect(attributes['error.type']).toBe(failure.name);
  expect(attributes['polygate.outcome']).toBe(failure.outcome);
  expect(events.filter((event) => event.name === 'exception')).toEqual([]);
  const [point] = (await memory.points('gen_ai.client.inference.duration')).filter(
    (each) => each.attributes['error.type'] !== undefined,
  );
  if (/^(chat|generate_image) /.test(name)) {
    expect(point?.attributes['error.type']).toBe(failure.name);
  }
  return attributes;
}

/** The attributes that name the error. */
export const type = (name: string, outcome?: string) => ({
  'error.type': name,
  ...(outcome && { 'polygate.outcome': outcome }),
});
