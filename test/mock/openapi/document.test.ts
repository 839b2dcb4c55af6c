import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { tags } from '../../../src/mock/openapi/tags/index.ts';
import { endpoints } from '../../../src/mock/routes/index.ts';
import { callerOf, codeOf } from '../caller.ts';
import { document, operationOf, operations } from './document.ts';
import { provoke } from './requests.ts';

test('everything is described, and every description is of something', () => {
  const silent = [
    ...nodes(document.paths),
    ...nodes(document.components.schemas, 'schemas'),
  ].filter(
    ([path, value]) =>
      /(\/properties\/[^/]+|\/parameters\/\d+|\/headers\/[^/]+)$/.test(path) &&
      !('$ref' in value) &&
      !/[.:`]$|\.$/.test(value.description ?? ''),
  );
  expect(silent.map(([path]) => path)).toEqual([]);
  const shown = new Map(endpoints.map((endpoint) => [endpoint.route, endpoint]));
  for (const [route, notes] of tags.flatMap((page) => Object.entries(page.operations))) {
    const { query = [], status = 200, otherStatuses = [], errors = [] } = shown.get(route)!;
    expect(Object.keys(notes.query ?? {})).toEqual(query);
    expect(Object.keys(notes.responses).map(Number)).toEqual(
      [status, ...otherStatuses].toSorted((one, other) => one - other),
    );
    expect(errors.map(String)).toEqual(expect.arrayContaining(Object.keys(notes.errorCodes ?? {})));
  }
});

test('the gateway takes the bodies that the document shows', async () => {
  const gateway = createMockGateway();
  for (const { route } of operations) {
    const { requestBody } = operationOf(route);
    if (requestBody === undefined) continue;
    const { examples } = requestBody.content['application/json'];
    for (const [name, { value }] of Object.entries<any>(examples)) {
      const path = route.split(' ')[1] ?? '';
      const response = await callerOf(gateway).post(path, value, { 'idempotency-key': name });
      // The material of an example is in nobody's library.
      const foreign = name === 'material-reference';
      expect([name, response.ok]).toEqual([name, !foreign]);
      if (foreign) expect(await codeOf(response)).toBe('material_not_managed');
    }
  }
});

/** Fields that an answer may lack; the records of assumption A16 are optional as a whole. */
const optional = new Set(
  'model created_at completed_at poll_url refusal logprobs next_cursor voice_clones voice_designs prompt_tokens_details completion_tokens_details cached_tokens reasoning_tokens'.split(
    ' ',
  ),
);

test.each(operations.filter(({ route }) => !/capabilities|openapi/.test(route)))(
  'the schema of $route notices every field that is missing or of another type',
  async ({ route, statuses, fits }) => {
    const assumed = /errors|changelog|pricing|rate-limits/.test(route);
    const [status = ''] = statuses;
    const [response] = await provoke(route, status);
    const body = await response!.json();
    const unnoticed: string[] = [];
    for (const [path, holder, name] of places(body)) {
      const { [name]: value } = holder;
      holder[name] = typeof value === 'object' && value !== null ? 'other' : [1];
      if (fits(Number(status), body) && name !== 'completed_at') unnoticed.push(`${path} changed`);
      delete holder[name];
      const free = assumed || optional.has(name) || Array.isArray(holder);
      if (!free && fits(Number(status), body)) unnoticed.push(`${path} missing`);
      holder[name] = value;
    }
    expect(unnoticed).toEqual([]);
  },
);

/** Every object in a document, with its path. */
function* nodes(value: any, path = ''): Generator<[string, any]> {
  if (typeof value !== 'object' || value === null) return;
  yield [path, value];
  for (const name of Object.keys(value)) yield* nodes(value[name], `${path}/${name}`);
}

/** Every place of a JSON value: its path, what holds it, its name there. */
function* places(value: any, path = ''): Generator<[string, any, string]> {
  if (typeof value !== 'object' || value === null) return;
  for (const name of Object.keys(value)) {
    yield [`${path}.${name}`, value, name];
    yield* places(value[name], `${path}.${name}`);
  }
}
