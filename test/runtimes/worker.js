// For workerd: answers the client's options with what came of the scenario.
import { createMockGateway } from 'polygate/mock';
import { createProxyHandler } from 'polygate/proxy';

import { scenario } from './scenario.js';

export default {
  fetch: async (request) =>
    Response.json(
      await scenario(await request.json(), undefined, createMockGateway, createProxyHandler),
    ),
};
