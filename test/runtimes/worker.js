// For workerd: receives the client's options and responds with the report of the scenario.
import { createMockGateway } from 'polygate/mock';
import { createProxyHandler } from 'polygate/proxy';

import { scenario } from './scenario.js';
import { traceCalls } from './telemetry.js';

export default {
  async fetch(request) {
    const options = await request.json();
    const report = await scenario(options, undefined, createMockGateway, createProxyHandler);
    return Response.json({ ...report, traced: await traceCalls(options) });
  },
};
