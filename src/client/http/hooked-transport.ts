import type { Config } from '../config/config.ts';
import { objectWithFields } from '../config/validation.ts';
import type { Rule } from '../config/validation.ts';
import { Part } from './part.ts';
import { createFetchTransport } from './transport.ts';
import type { Transport } from './transport.ts';

const functions: Rule = [
  (value) => Array.isArray(value) && Array.from(value).every((hook) => typeof hook === 'function'),
  'an array of functions',
];

/** The rule of the option `hooks`. */
export const hooksRule: Rule = /* @__PURE__ */ objectWithFields({
  beforeRequest: functions,
  afterResponse: functions,
});

export const ky = /* @__PURE__ */ new Part(() => import('./ky-transport.ts'));

/** The transport of a client. Without hooks, there is nothing for ky to do, and it is not loaded. */
export function createTransport(config: Config): Transport {
  const { beforeRequest = [], afterResponse = [] } = config.options.hooks ?? {};
  if (beforeRequest.length + afterResponse.length === 0) return createFetchTransport(config.fetch);
  let transport: Transport | undefined;
  const send: Transport = (...request) =>
    ky.use(config, ({ createKyTransport }) => {
      transport ??= createKyTransport(config, beforeRequest, afterResponse);
      return transport(...request);
    });
  return Object.assign(send, { part: ky });
}
