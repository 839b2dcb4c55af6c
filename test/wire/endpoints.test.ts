import { describe, expect, test } from 'vitest';

import { endpoints as mockEndpoints } from '../../src/mock/routes/index.ts';
import type { Endpoint } from '../../src/wire/endpoints/endpoint.ts';
import { unknownRequest, allEndpoints, findEndpoint } from '../../src/wire/endpoints/index.ts';
import { allCalls } from '../support/calls.ts';

const withoutNames = ({ method, path }: { method: string; path: string }) =>
  `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`;
const documented = mockEndpoints.filter(
  ({ path, hidden }) => !hidden && /^\/(v1|api)\//.test(path),
);

/** Without the API key in the style of Gemini, which the client sends in a header. */
const queryOf = (endpoint: { query?: object } | undefined) =>
  Object.keys(endpoint?.query ?? {}).filter((name) => name !== 'key');

describe('the endpoints of the client', () => {
  test('are those of the reference gateway', () => {
    const own = new Set(allEndpoints.map(withoutNames));
    const assumed = allEndpoints
      .filter((endpoint: Endpoint) => endpoint.isAssumed)
      .map(withoutNames);
    const theirs = documented.map(withoutNames);
    expect([...own].filter((route) => !theirs.includes(route) && !assumed.includes(route))).toEqual(
      [],
    );
    expect(theirs.filter((route) => !own.has(route))).toEqual([]);
  });

  test('are called by the tests of every call, if they are documented', () => {
    const called = allCalls.map(({ route }) => route.replaceAll(/\{\w+\}/g, '{}'));
    const known = allEndpoints
      .filter((endpoint: Endpoint) => !endpoint.isAssumed)
      .map(withoutNames);
    expect(called.toSorted()).toEqual(known.toSorted());
  });

  test.each(allEndpoints.map((endpoint: Endpoint) => [withoutNames(endpoint), endpoint] as const))(
    '%s needs a key, holds a slot and has query parameters as in the reference gateway',
    (route, { audience, usesSlot = false, query = [] }) => {
      const theirs = mockEndpoints.find((endpoint) => withoutNames(endpoint) === route);
      expect([theirs?.auth === 'none', theirs?.usesSlot, queryOf(theirs)]).toEqual([
        audience === 'public',
        usesSlot,
        query,
      ]);
    },
  );
});

test('a placeholder is the last segment of a path, and its name says whose resource it is', () => {
  const templates = allEndpoints.map(({ path }) => path).filter((path) => path.includes('{'));
  const names = templates.map((path) => /^[^{}]+\/\{(\w+)\}$/.exec(path)?.[1]);
  // The proxy checks the owner of a task and a material. Those of models and error codes are the same for all users.
  expect(new Set(names)).toEqual(new Set(['id', 'material_id', 'model', 'code']));
});

test('a list that the users of an account share names whose resources it lists, or is the same for all', () => {
  const shared = allEndpoints.filter(
    ({ method, path, audience }: Endpoint) =>
      method === 'GET' && audience !== 'public' && !path.includes('{'),
  );
  const lists = shared.filter((endpoint: Endpoint) => endpoint.isList).map(({ path }) => path);
  expect(lists.toSorted()).toEqual(['/v1/audio/voices', '/v1/materials']);
  const others = shared.filter((endpoint: Endpoint) => !endpoint.isList).map(({ path }) => path);
  const isSame = (path: string) =>
    path === '/v1/models' || /account|readiness|token|balance/.test(path);
  expect(others.filter((path) => !isSame(path))).toEqual([]);
});

describe('the endpoint of a request', () => {
  test.each([
    ['GET', '/v1/models', '/v1/models'],
    ['GET', '/v1/models/vendor/model', '/v1/models/{model}'],
    ['GET', '/v1/models/', undefined],
    ['GET', '/v1/videos/task_1', '/v1/videos/{id}'],
    ['GET', '/v1/videos/generations/task_1', '/v1/videos/generations/{id}'],
    ['GET', '/v1/videos/task_1/content', undefined],
    ['GET', '/v1/images/tasks/{id}', '/v1/images/tasks/{id}'],
    ['POST', '/v1/images/tasks', '/v1/images/tasks'],
    ['POST', '/v1/images/edits', undefined],
    ['DELETE', '/v1/materials/m', '/v1/materials/{material_id}'],
    ['DELETE', '/v1/models', undefined],
  ])('%s %s has the path %s', (method, path, template) => {
    expect(findEndpoint(method, path)?.path).toBe(template);
  });
});

describe('a request whose endpoint is not known', () => {
  const free = { safety: 'safe', paid: false };
  const paid = { safety: 'once', paid: true };
  test.each([
    ['GET', undefined, free],
    ['HEAD', undefined, free],
    ['OPTIONS', undefined, free],
    ['PUT', undefined, free],
    ['DELETE', undefined, free],
    ['POST', undefined, paid],
    ['PATCH', undefined, paid],
    ['patch', undefined, paid],
    ['MERGE', undefined, paid],
    ['GET', true, free],
    ['DELETE', true, free],
    ['POST', true, { safety: 'keyed', paid: true }],
    ['PATCH', true, { safety: 'keyed', paid: true }],
    ['GET', false, { safety: 'once', paid: false }],
    ['PUT', false, { safety: 'once', paid: false }],
    ['POST', false, paid],
  ])('%s, declared idempotent: %s', (method, isIdempotent, expected) => {
    expect(unknownRequest(method, isIdempotent)).toEqual(expected);
  });
});
