import { describe, expect, test } from 'vitest';

import { endpoints } from '../../../src/mock/routes/index.ts';
import * as specification from '../../coverage/specification.ts';
import { fieldAt, operationOf, operations, parametersOf, typesOf } from './document.ts';

const documented = endpoints.filter((endpoint) => endpoint.hidden !== true);
const submits = documented
  .filter(({ usesSlot, status }) => usesSlot && status === 202)
  .map(({ route }) => route);

describe('the document matches the specification:', () => {
  test.each(Object.entries(specification.endpoints))(
    '%s lists the statuses %j',
    (route, statuses) => {
      expect(Object.keys(operationOf(route)?.responses ?? {})).toEqual(
        expect.arrayContaining(statuses.map(String)),
      );
    },
  );

  test.each([
    ['Account', specification.records.Account],
    ['Readiness', specification.records.Readiness],
    ['ServiceStatus', specification.records['Service status']],
    ['Model', specification.records.Model],
    ['Pricing', specification.records['Pricing object']],
    ['KeyBalance', specification.records['Key balance record']],
    ['AudioTask', specification.records['Audio task']],
    ['Voice', specification.records.Voice],
    ['VoiceCreation', specification.records['Voice creation result']],
    ['Material', specification.records.Material],
    ['MaterialList', specification.records['Material list']],
    ['Error', specification.records['Error envelope']],
    ['KeyBalanceError', specification.records['Key balance error envelope']],
    ['ChatCompletionRequest', specification.requests['Chat body']],
    ['ImageRequest', specification.requests['Image body']],
    ['VideoRequest', specification.requests['Video body']],
    ['MusicRequest', specification.requests['Music body']],
    ['SpeechRequest', specification.requests['Speech body']],
    ['VoiceCloneRequest', specification.requests['Voice clone body']],
    ['VoiceDesignRequest', specification.requests['Voice design body']],
    ['MaterialRequest', specification.requests['Material create body']],
  ])('%s has every field with its type', (name, fields) => {
    // Content can be a string or a list.
    const typed = fields.filter(({ name: path }) => path !== 'messages[].content');
    expect(typed.map(({ name: path }) => [path, typesOf(fieldAt(name, path))])).toEqual(
      typed.map(({ name: path, type }) => [path, type.replace('|null', '').split('|')]),
    );
  });

  test.each([
    ['GET /v1/materials', specification.requests['Material list query']],
    ['GET /v1/status', specification.requests['Status query']],
    ['GET /v1/pricing', specification.requests['Pricing query']],
    ['GET /v1/audio/voices', specification.requests['Voice list query']],
  ])('%s has every query parameter', (route, fields) => {
    const names = parametersOf(route).flatMap(({ in: location, name }) =>
      location === 'query' ? [name] : [],
    );
    expect(names).toEqual(fields.map(({ name }) => name));
  });

  test.each<[string, string, readonly string[]]>([
    ['GET /v1/account', '200', specification.headers['Headers of GET /account']],
    ['GET /v1/readiness', '200', specification.headers['Headers of GET /readiness']],
    ['POST /v1/chat/completions', '200', specification.headers['Headers of a chat response']],
    ...submits.map((route): [string, string, readonly string[]] => [
      route,
      '202',
      specification.headers['Headers of a generation response'],
    ]),
  ])('%s has every header', (route, status, names) => {
    const { headers } = operationOf(route).responses[status];
    expect(Object.keys(headers)).toEqual(expect.arrayContaining([...names]));
    for (const name of names) {
      expect(headers[name].required ?? false).toBe(name !== 'x-svc-idempotent-replay');
    }
  });

  test('idempotency keys and API keys are documented where they apply', () => {
    for (const { route, usesSlot, auth } of documented) {
      const names = parametersOf(route).map(({ name }) => name);
      expect(names.includes('x-idempotency-key')).toBe(usesSlot);
      expect(names.includes('Idempotency-Key')).toBe(route === 'POST /v1/materials');
      expect(operationOf(route).security.length > 0).toBe(auth !== 'none');
    }
  });
});

describe('the document states limits:', () => {
  const bodies = new Map(operations.map((operation) => [operation.route, operation]));
  test.each<[string, object]>([
    ['/v1/audio/tasks', { model: 'm', text: 'a', speed: 2.1 }],
    ['/v1/audio/tasks', { model: 'm', text: 'a', sample_rate: 8000 }],
    ['/v1/audio/tasks', { model: 'm', text: 'a', emotion: 'bored' }],
    ['/v1/images/tasks', { model: 'm', n: 1.5 }],
    ['/v1/images/tasks', { model: 'm', size: 'big' }],
    ['/v1/images/tasks', { model: 'm', task_type: 'other' }],
    ['/v1/images/tasks', { prompt: 'no model' }],
    ['/v1/videos', { model: 'm', duration: '5' }],
    ['/v1/videos', { model: 'm', content: [{ type: 'image_url', image_url: 'a' }] }],
    ['/v1/videos', { model: 'm', extra_body: { seed: 0.5 } }],
    ['/v1/chat/completions', { model: 'm', messages: [] }],
    ['/v1/chat/completions', { model: 'm', messages: [{ content: 'no role' }] }],
    ['/v1/audio/voices/clone', { text: 'no recording' }],
    ['/v1/audio/voices/design', { preview_text: 'no prompt' }],
    ['/v1/materials', { url: 'https://a.example/b', type: 'text' }],
    ['/v1/materials', { type: 'image' }],
    [
      '/v1/materials',
      { url: 'https://a.example/b', type: 'image', real_person: { consent_confirmed: false } },
    ],
  ])('%s does not accept %j', (path, body) => {
    expect(bodies.get(`POST ${path}`)!.bodyProblems(body)).not.toEqual([]);
  });

  test('the page size of materials and the length of an idempotency key', () => {
    const limit = parametersOf('GET /v1/materials').find(({ name }) => name === 'limit');
    expect(limit.schema).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 50 });
    const key = parametersOf('POST /v1/materials').find(({ name }) => name === 'Idempotency-Key');
    expect(key).toMatchObject({ required: true, schema: { minLength: 1, maxLength: 200 } });
  });
});
