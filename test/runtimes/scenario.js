// The scenario that every runtime runs with the packed package. Its report is plain JSON.
import * as polygate from 'polygate';

const { Polygate, PolygateError } = polygate;
const messages = [{ role: 'user', content: 'Describe a harbor' }];
const question = { model: 'aurora-chat', messages };
const imageParams = { model: 'prism-image', prompt: 'A harbor' };

/**
 * Runs the scenario. Parameters after `options` are optional: not every runtime supports them. The order of the calls
 * matters, because the gateway of the test breaks the fifth chat and every later one.
 */
export async function scenario(options, journal, createMockGateway, createProxyHandler) {
  const gateway = new Polygate({ ...options, maxRetries: 0 });
  const chat = gateway.chat.completions;
  const hooked = hookedClient(options);
  return {
    words: await streamChat(gateway),
    hooked: await hooked.run(),
    image: (await gateway.images.generate(imageParams, { pollInterval: 20 })).status,
    aborted: await failure(() => abortChat(gateway)),
    refused: await failure(() => chat.create({ ...question, model: 'none' })),
    cut: await failure(() => streamChat(gateway)),
    redirected: await failure(() => gateway.models.retrieve('aurora-chat')),
    batch: await batch(gateway, journal),
    lost: await failure(() => chat.create(question)),
    lostWithHooks: await failure(() => hooked.gateway.chat.completions.create(question)),
    behindProxy: await behindProxy(options, createProxyHandler),
    inProcess: createMockGateway && (await inProcess(createMockGateway)),
  };
}

async function streamChat(gateway) {
  let content = '';
  for await (const text of gateway.chat.completions.stream(question).text()) content += text;
  return content;
}

/**
 * A client with hooks, which sends through ky, and what it does before the gateway breaks chats. Without `Request`, there
 * are no hooks.
 */
function hookedClient(options) {
  let requests = 0;
  let responses = 0;
  const beforeRequest = ({ request }) => {
    requests += 1;
    // The proxy forwards this header.
    request.headers.set('x-request-id', 'from-hook');
  };
  const afterResponse = ({ response }) => {
    responses += response.ok;
  };
  const hooks = globalThis.Request && {
    beforeRequest: [beforeRequest],
    afterResponse: [afterResponse],
  };
  const gateway = new Polygate({ ...options, hooks, maxRetries: 0 });
  const run = async () => {
    const words = await streamChat(gateway);
    const task = await gateway.images.submit(imageParams);
    const { status } = await task.wait({ pollInterval: 20 });
    return { words, image: status, requests, responses };
  };
  return { gateway, run };
}

async function abortChat(gateway) {
  const controller = new AbortController();
  const { signal } = controller;
  const reason = new Error('Aborted by the test');
  try {
    for await (const _ of gateway.chat.completions.stream(question, { signal })) {
      controller.abort(reason);
    }
  } catch (error) {
    if (error.cause !== reason) throw new Error(`Wrong cause: ${error.cause}`, { cause: error });
    throw error;
  }
}

/** Returns the fields of an error, if both `instanceof` and `PolygateError.is` recognize its class. */
async function failure(attempt) {
  try {
    return { result: await attempt() };
  } catch (error) {
    const { name, status, code, outcome } = error;
    const kind = Object.entries(polygate).find(([key]) => key === name)?.[1];
    const isKnown = PolygateError.is(error) && kind !== undefined && error instanceof kind;
    return isKnown ? { name, status, code, outcome } : { unexpected: error.stack };
  }
}

async function batch(gateway, journal) {
  const outcomes = [];
  const submission = (prompt) => gateway.images.submission({ ...imageParams, prompt });
  for await (const row of gateway.batch(['A', 'B'], submission, { journal, pollInterval: 20 })) {
    outcomes.push(row.error?.name ?? row.status);
  }
  return outcomes;
}

async function inProcess(createMockGateway) {
  const { apiKey, baseURL, fetch } = createMockGateway();
  return streamChat(new Polygate({ apiKey, baseURL, fetch, dangerouslyAllowBrowser: true }));
}

/** Uses a proxy that runs in this runtime. Skipped in browsers, which must not hold the API key. */
async function behindProxy({ apiKey, baseURL }, createProxyHandler) {
  if (globalThis.document !== undefined || createProxyHandler === undefined) return;
  const handler = createProxyHandler({ apiKey, baseURL, authorize: () => 'ann' });
  const page = new Polygate({
    apiKey: null,
    baseURL: 'https://app.example/api/gateway',
    fetch: (url, init) => handler(new Request(url, init)),
    maxRetries: 0,
  });
  return {
    image: (await page.images.generate(imageParams, { pollInterval: 20 })).status,
    lost: await failure(() => page.chat.completions.create(question)),
  };
}
