import { expect, test } from 'vitest';

import { fastFetch } from '../../../src/tools/mcp/serve.ts';

test('requests are sent with undici if it is installed', async () => {
  expect(await fastFetch()).toHaveProperty('close');
});
