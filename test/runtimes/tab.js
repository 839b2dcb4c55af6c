// For browsers: the test calls `scenario` in the page.
import { createMockGateway } from 'polygate/mock';
import { createProxyHandler } from 'polygate/proxy';

import { scenario } from './scenario.js';

globalThis.scenario = (options) =>
  scenario(options, undefined, createMockGateway, createProxyHandler);
