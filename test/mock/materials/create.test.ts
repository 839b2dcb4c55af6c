import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { callerOf, codeOf } from '../caller.ts';

const source = { url: 'https://files.example/a.png', type: 'image' };
const person = { consent_confirmed: true, callback_url: 'https://app.example/back' };
const caller = callerOf(createMockGateway({ clock: 'virtual' }));
let keys = 0;
const create = (fields: object) =>
  caller.post('/v1/materials', { ...source, ...fields }, { 'idempotency-key': `k${(keys += 1)}` });

test.each([
  'http://localhost./a.png',
  'http://files.internal/a.png',
  'http://100.64.0.1/a.png',
  'http://[::]/a.png',
  'http://0x7f.1/a.png',
  'http://name:word@files.example/a.png',
])('a file at %s is not publicly reachable and is rejected', async (url) => {
  const response = await create({ url });
  expect([response.status, await codeOf(response)]).toEqual([400, 'invalid_material_request']);
});

test.each([
  ['http://app.example/back', 400],
  ['https://name:word@app.example/back', 400],
  ['http://localhost:3000/back', 202],
  ['http://127.0.0.1/back', 202],
])(
  'a callback to %s returns %i: HTTPS is required except for private hosts',
  async (url, status) => {
    const real_person = { ...person, callback_url: url };
    const response = await create({ real_person });
    expect(response.status).toBe(status);
    if (status === 400) expect(await codeOf(response)).toBe('invalid_visual_verification_request');
  },
);

test('a record contains at most the file name of the source URL', async () => {
  const response = await create({ url: 'https://secret.example/secret/fox.png?token=secret' });
  const material = await response.json();
  expect(material.name).toBe('fox.png');
  expect(JSON.stringify(material)).not.toContain('secret');
});
