import { describe, expect, test } from 'vitest';

import type { TelemetryCall } from '../../../src/index.ts';
import { chat, poll, recording } from './support.ts';

const nameOf = (operation: TelemetryCall) => recording().run(operation).name;
const model = 'm';

describe('the name of a span', () => {
  test.each([
    ['/v1/chat/completions', 'chat m'],
    ['/v1/images/generations', 'generate_image m'],
    ['/v1/images/tasks', 'generate_image m'],
    ['/v1/videos', 'generate_video m'],
    ['/v1/video/generations', 'generate_video m'],
    ['/v1/videos/generations', 'generate_video m'],
    ['/v1/audio/voices/clone', 'POST /v1/audio/voices/clone'],
    ['/v1/audio/voices/design', 'POST /v1/audio/voices/design'],
    ['/v1/materials', 'POST /v1/materials'],
    ['/v1/rerank', 'POST /v1/rerank'],
    ['/v1/videos/edits', 'POST /v1/videos/edits'],
  ])('of a POST to %s is %s', (template, name) => {
    expect(nameOf({ ...chat, model, template })).toBe(name);
    // The body of another route is not read, so it can be anything.
    expect(nameOf({ ...chat, model, template, body: '{"text":1' })).toBe(name);
  });

  test.each([
    ['{"prompt":"A shanty"}', 'generate_music m'],
    ['{"text":"Ahoy"}', 'generate_speech m'],
    ['{"input":"Ahoy"}', 'generate_speech m'],
    ['{"text":""}', 'generate_speech m'],
    ['{"text":null,"prompt":"A shanty"}', 'generate_music m'],
    ['{"text"', 'generate_music m'],
    ['[]', 'generate_music m'],
    [undefined, 'generate_music m'],
  ])('of a POST to /v1/audio/tasks with the body %s is %s', (body, name) => {
    const call = { ...chat, model, template: '/v1/audio/tasks' };
    expect(nameOf({ ...call, body })).toBe(name);
    const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
    expect(nameOf({ ...call, body: bytes })).toBe(name);
  });

  test('of a GET from a route at which models work is its path', () => {
    expect(nameOf({ ...poll, template: '/v1/images/tasks' })).toBe('GET /v1/images/tasks');
  });
});

describe('an id in the path is replaced', () => {
  test.each([
    ['GET', '/v1/models/aurora-chat', '/v1/models/{model}'],
    ['GET', '/v1/models/lumen/vision-chat', '/v1/models/{model}'],
    ['GET', '/v1/errors/rate_limited', '/v1/errors/{code}'],
    ['GET', '/v1/materials/mat_1', '/v1/materials/{material_id}'],
    ['DELETE', '/v1/materials/mat_1', '/v1/materials/{material_id}'],
    ['GET', '/v1/videos/task_1', '/v1/videos/{id}'],
    ['GET', '/v1/images/generations/task_1', '/v1/images/generations/{id}'],
    ['GET', '/v1/video/generations/task_1', '/v1/video/generations/{id}'],
    ['GET', '/v1/videos/generations/task_1', '/v1/videos/generations/{id}'],
    ['GET', '/v1/images/tasks/task_1', '/v1/images/tasks/{id}'],
    ['GET', '/v1/audio/tasks/task_1', '/v1/audio/tasks/{id}'],
  ])('%s %s', (method, path, template) => {
    expect(nameOf({ ...poll, method, template: path })).toBe(`${method} ${template}`);
  });

  test.each([
    '/v1/models',
    '/v1/models/{model}',
    '/v1/errors/{code}',
    '/v1/materials/{material_id}',
    '/v1/videos/{id}',
    '/v1/images/tasks/{taskId}',
    '/v1/audio/voices',
    '/v1/account',
    '/api/usage/balance',
    '/v2/models/m',
  ])('but GET %s is unchanged', (template) => {
    expect(nameOf({ ...poll, template })).toBe(`GET ${template}`);
  });
});
