import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { endpoints } from '../../../src/mock/routes/index.ts';
import { callerOf, codeOf } from '../caller.ts';
import { document, operationOf, operations } from './document.ts';
import { provoke } from './requests.ts';

test('every field, parameter and header has a description, and every description belongs to an existing field, parameter or header', () => {
  const undescribed = [
    ...nodes(document.paths),
    ...nodes(document.components.schemas, 'schemas'),
  ].filter(
    ([path, value]) =>
      /(\/properties\/[^/]+|\/parameters\/\d+|\/headers\/[^/]+)$/.test(path) &&
      !('$ref' in value) &&
      !/[.:`]$|\.$/.test(value.description ?? ''),
  );
  expect(undescribed.map(([path]) => path)).toEqual([]);
  for (const { status = 200, responses, errors = [], errorCodes = {}, hidden } of endpoints) {
    if (!hidden) expect(Object.keys(responses ?? {}).map(Number)).toContain(status);
    expect(errors.map(String)).toEqual(expect.arrayContaining(Object.keys(errorCodes)));
  }
});

test('no field of a request body has a default, because openapi-typescript makes such a field required', () => {
  const { schemas } = document.components;
  const requestNames = Object.keys(schemas).filter((name) => name.endsWith('Request'));
  expect(requestNames.length).toBeGreaterThan(5);
  const defaults = requestNames.flatMap((name) =>
    [...nodes(schemas[name], name)].filter(([, value]) => 'default' in value),
  );
  expect(defaults.map(([path]) => path)).toEqual([]);
  expect(schemas.ChatCompletionRequest.required).toEqual(['model', 'messages']);
  expect(schemas.ChatCompletionRequest.properties.n.description).toContain('default is 1');
});

test('the list of models accepts the key of each kind of client, and no request without a key', async () => {
  const gateway = createMockGateway();
  const { security } = operationOf('GET /v1/models');
  expect(security).toEqual([
    { bearer: [] },
    { anthropicKey: [] },
    { geminiKey: [] },
    { geminiQueryKey: [] },
  ]);
  for (const scheme of security.flatMap(Object.keys)) {
    const { type, in: location, name } = document.components.securitySchemes[scheme];
    const url = new URL(`${gateway.baseURL}/v1/models`);
    if (location === 'query') url.searchParams.set(name, gateway.apiKey);
    const header =
      type === 'http' ? ['authorization', `Bearer ${gateway.apiKey}`] : [name, gateway.apiKey];
    const headers = Object.fromEntries(location === 'query' ? [] : [header]);
    expect((await gateway.fetch(url, { headers })).status).toBe(200);
  }
  expect((await gateway.fetch(`${gateway.baseURL}/v1/models`)).status).toBe(401);
  const optional = operations.filter(({ route }) =>
    operationOf(route).security.some((entry: object) => Object.keys(entry).length === 0),
  );
  expect(optional).toEqual([]);
});

test('the schema of an event stream is a string, as OpenAPI 3.0 requires', () => {
  const { content } = operationOf('POST /v1/chat/completions').responses[200];
  expect(content['text/event-stream'].schema.type).toBe('string');
});

test('the gateway accepts the example bodies of the document', async () => {
  const gateway = createMockGateway();
  for (const { route } of operations) {
    const { requestBody } = operationOf(route);
    if (requestBody === undefined) continue;
    const { examples } = requestBody.content['application/json'];
    for (const [name, { value }] of Object.entries<any>(examples)) {
      const path = route.split(' ')[1] ?? '';
      const response = await callerOf(gateway).post(path, value, { 'idempotency-key': name });
      // The example refers to a material that is not in the library.
      const unknownMaterial = name === 'material-reference';
      expect([name, response.ok]).toEqual([name, !unknownMaterial]);
      if (unknownMaterial) expect(await codeOf(response)).toBe('material_not_managed');
    }
  }
});

/** Fields that a response can omit. In the records of Assumption A16, all fields are optional. */
const optionalFields = new Set(
  'model created_at completed_at poll_url refusal logprobs next_cursor voice_clones voice_designs prompt_tokens_details completion_tokens_details cached_tokens reasoning_tokens'.split(
    ' ',
  ),
);

test.each(operations.filter(({ route }) => !/capabilities|openapi/.test(route)))(
  'the schema of $route detects every field that is missing or of another type',
  async ({ route, statuses, fits }) => {
    const isAssumed = /errors|changelog|pricing|rate-limits/.test(route);
    const [status = ''] = statuses;
    const [response] = await provoke(route, status);
    const body = await response!.json();
    const undetected: string[] = [];
    for (const [path, parent, name] of fields(body)) {
      const { [name]: value } = parent;
      parent[name] = typeof value === 'object' && value !== null ? 'other' : [1];
      if (fits(Number(status), body) && name !== 'completed_at') undetected.push(`${path} changed`);
      delete parent[name];
      const omittable = isAssumed || optionalFields.has(name) || Array.isArray(parent);
      if (!omittable && fits(Number(status), body)) undetected.push(`${path} missing`);
      parent[name] = value;
    }
    expect(undetected).toEqual([]);
  },
);

/** Every object in a document, with its path. */
function* nodes(value: any, path = ''): Generator<[string, any]> {
  if (typeof value !== 'object' || value === null) return;
  yield [path, value];
  for (const name of Object.keys(value)) yield* nodes(value[name], `${path}/${name}`);
}

/** Every field of a JSON value: its path, its parent and its name. */
function* fields(value: any, path = ''): Generator<[string, any, string]> {
  if (typeof value !== 'object' || value === null) return;
  for (const name of Object.keys(value)) {
    yield [`${path}.${name}`, value, name];
    yield* fields(value[name], `${path}.${name}`);
  }
}
