import { describe, expect, test } from 'vitest';

import {
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  ResponseValidationError,
  ServerError,
} from '../../src/index.ts';
import type { Polygate, VoiceCloneParams, VoiceDesignParams } from '../../src/index.ts';
import type { Fault } from '../../src/mock/index.ts';
import { onMock } from '../client/support.ts';
import { records, requests } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';
import { allCloneFields, allDesignFields } from '../support/voices.ts';

const operations = {
  clone: (gateway: Polygate) => gateway.voices.clone(allCloneFields),
  design: (gateway: Polygate) => gateway.voices.design(allDesignFields),
};
const both = Object.entries(operations);

describe('voices.clone() and voices.design()', () => {
  test.each(both)('%s posts to its own path, with an idempotency key', async (operation, make) => {
    const { gateway, mock } = onMock();
    await make(gateway);
    expect(mock.requests).toMatchObject([
      {
        method: 'POST',
        path: `/v1/audio/voices/${operation}`,
        search: '',
        headers: {
          authorization: `Bearer ${mock.apiKey}`,
          'content-type': 'application/json',
          'x-idempotency-key': expect.stringMatching(/^[!-~]{1,200}$/),
        },
      },
    ]);
  });

  test.each(rows(requests['Voice clone body']))('clone sends %s unchanged', async (_, field) => {
    const { gateway, mock } = onMock();
    await gateway.voices.clone(allCloneFields);
    await gateway.voices.clone({ ...allCloneFields, accuracy: 'high' });
    const [number, text] = mock.requests;
    expect(
      difference(field, [
        { read: number?.body, sent: allCloneFields },
        ...(field.name === 'accuracy'
          ? [{ read: text?.body, sent: { ...allCloneFields, accuracy: 'high' } }]
          : []),
      ]),
    ).toBeUndefined();
    expect(number?.body).toEqual(allCloneFields);
  });

  test.each(rows(requests['Voice design body']))('design sends %s unchanged', async (_, field) => {
    const { gateway, mock } = onMock();
    await gateway.voices.design(allDesignFields);
    expect(
      difference(field, [{ read: mock.requests[0]?.body, sent: allDesignFields }]),
    ).toBeUndefined();
    expect(mock.requests[0]?.body).toEqual(allDesignFields);
  });

  test.each(rows(records['Voice creation result']))('return %s', async (_, field) => {
    const samples = both.map(async ([, make]) => {
      const response = await make(onMock().gateway).asResponse();
      return { read: await make(onMock().gateway), sent: (await response.json()) as unknown };
    });
    expect(difference(field, await Promise.all(samples))).toBeUndefined();
  });

  test('report the billing of a clone: 1.5 per voice and 0.0003 per Unicode character of its text', async () => {
    const { gateway, mock } = onMock();
    const { data, meta } = await gateway.voices.clone(allCloneFields).withResponse();
    expect(data.billing_contract).toMatchObject({
      operation: 'audio.voice_clone',
      settlement_policy: 'fixed_at_estimate',
      billing_stage: 'final',
      facts: { voice_clones: 1, preview_characters: 12 },
    });
    expect(meta.chargeUsd).toBeCloseTo(1.5 + 12 * 0.0003, 9);
    expect(gateway.spend.totalUsd).toBe(mock.invoice[0]?.usd);
  });

  test('report the billing of a design: 3 per voice and 0.00003 per Unicode character of its preview', async () => {
    const { gateway, mock } = onMock();
    const { data, meta } = await gateway.voices.design(allDesignFields).withResponse();
    expect(data.billing_contract).toMatchObject({
      operation: 'audio.voice_design',
      facts: { voice_designs: 1, preview_characters: 6 },
    });
    expect(meta.chargeUsd).toBeCloseTo(3 + 6 * 0.00003, 9);
    expect(mock.invoice).toHaveLength(1);
  });

  test('create a voice that speech can use', async () => {
    const { gateway, mock } = onMock();
    const { voice_id: id } = await gateway.voices.design(allDesignFields);
    await gateway.audio.speech.submit({ model: 'echo-speech', text: 'Ahoy', voice_id: id });
    expect(mock.requests.at(-1)?.status).toBe(202);
  });

  const incomplete: [string, 'clone' | 'design', object | undefined, string][] = [
    ['no params', 'clone', undefined, 'params'],
    ['no recording', 'clone', { text: 'Ahoy' }, 'audio_url'],
    ['an empty recording', 'clone', { audio_url: '' }, 'audio_url'],
    ['no params', 'design', undefined, 'params'],
    ['no prompt', 'design', { preview_text: 'Ahoy' }, 'prompt'],
    ['no preview', 'design', { prompt: 'An old sailor' }, 'preview_text'],
  ];

  test.each(incomplete)(
    'reject %s (%s) before sending a request',
    async (_, operation, params, field) => {
      const { gateway, mock } = onMock();
      const { voices } = gateway;
      const promise =
        operation === 'clone'
          ? voices.clone(params as VoiceCloneParams)
          : voices.design(params as VoiceDesignParams);
      const error = await rejection(ConfigurationError, Promise.resolve(promise));
      expect(error.message).toContain(field);
      expect(mock.requests).toEqual([]);
    },
  );

  test.each([
    ['clone', { text: 'Ahoy' }],
    ['design', { prompt: 'An old sailor' }],
    ['design', { preview_text: 'Ahoy' }],
  ])(
    'throw the error of the service if %s lacks a field: invalid_request_parameter',
    async (operation, body) => {
      const { gateway } = onMock();
      const path = `/v1/audio/voices/${operation}`;
      const call = gateway.request({ method: 'POST', path, body });
      const error = await rejection(BadRequestError, Promise.resolve(call));
      expect(error.code).toBe('invalid_request_parameter');
    },
  );
});

describe('a voice request with an unknown outcome', () => {
  const failures: [string, Fault][] = [
    ['a reset', { reset: 'after' }],
    ['a 500', { status: 500, handled: true }],
    ['a 504', { status: 504, handled: true }],
    ['a truncated response', { truncateBody: 20 }],
  ];
  const cases = failures.flatMap(([name, fault]) =>
    both.map(([operation, make]) => [operation, name, fault, make] as const),
  );

  test.each(cases)('is not retried: %s after %s', async (operation, _, fault, make) => {
    const { gateway, mock } = onMock();
    mock.fail({ route: `POST /v1/audio/voices/${operation}`, ...fault, times: 1 });
    const error = await rejection(Error, mock.clock.settle(make(gateway)));
    expect(error).toMatchObject({
      outcome: 'unknown',
      idempotencyKey: mock.requests[0]?.headers['x-idempotency-key'],
    });
    expect(
      [ConnectionError, ServerError, ResponseValidationError].some((kind) => error instanceof kind),
    ).toBe(true);
    expect(mock.requests).toHaveLength(1);
    expect(mock.invoice).toHaveLength(1);
  });

  test.each(cases)(
    'is retried with the same key if retryAmbiguous.voices is true: %s after %s',
    async (operation, _, fault, make) => {
      const { gateway, mock } = onMock(
        { assumptions: { A12: 'replay' } },
        { retryAmbiguous: { voices: true } },
      );
      mock.fail({ route: `POST /v1/audio/voices/${operation}`, ...fault, times: 1 });
      const { voice_id: id } = await mock.clock.settle(make(gateway));
      const [first, second] = mock.requests.map(({ headers }) => headers['x-idempotency-key']);
      expect(first).toBeTruthy();
      expect(second).toBe(first);
      expect(mock.requests).toHaveLength(2);
      expect(mock.invoice).toHaveLength(1);
      const { data } = await gateway.voices.list();
      expect(data.filter(({ visibility }) => visibility === 'private')).toMatchObject([
        { voice_id: id },
      ]);
    },
  );

  test.each(both)(
    '%s is retried if it was rejected with a 503 or not sent',
    async (operation, make) => {
      const { gateway, mock } = onMock();
      const route = `POST /v1/audio/voices/${operation}`;
      mock.fail({ route, status: 503, times: 1 });
      mock.fail({ route, unreachable: true, times: 1 });
      await mock.clock.settle(make(gateway));
      expect(mock.invoice).toHaveLength(1);
      expect(mock.requests.map(({ status }) => status)).toEqual([503, 200]);
    },
  );
});
