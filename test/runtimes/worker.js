// For workerd: receives the client's options and responds with the report of the scenario.
import { createMockGateway } from 'polygate/mock';
import { createProxyHandler } from 'polygate/proxy';

import { scenario } from './scenario.js';

export default {
  fetch: async (request) =>
    Response.json(
      await scenario(await request.json(), undefined, createMockGateway, createProxyHandler),
    ),
};
