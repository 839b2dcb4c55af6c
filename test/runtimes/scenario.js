// What every runtime does with the packed package, and what came of it as plain JSON.
import * as polygate from 'polygate';

const { Polygate, PolygateError } = polygate;
const messages = [{ role: 'user', content: 'Describe a harbour' }];
const question = { model: 'aurora-chat', messages };
const drawing = { model: 'prism-image', prompt: 'A harbour' };

/**
 * With the client's options, a journal, and the two functions of the other entries, where there are any. The order
 * counts: the gateway of the test lets the fourth chat, and every later one, break.
 */
export async function scenario(options, journal, createMockGateway, createProxyHandler) {
  const gateway = new Polygate({ ...options, maxRetries: 0 });
  const chat = gateway.chat.completions;
  return {
    words: await talk(gateway),
    image: (await gateway.images.generate(drawing, { pollInterval: 20 })).status,
    aborted: await failure(() => leave(gateway)),
    refused: await failure(() => chat.create({ ...question, model: 'none' })),
    cut: await failure(() => talk(gateway)),
    redirected: await failure(() => gateway.models.retrieve('aurora-chat')),
    batch: await batch(gateway, journal),
    lost: await failure(() => chat.create(question)),
    behindProxy: await behindProxy(options, createProxyHandler),
    inProcess: createMockGateway && (await inProcess(createMockGateway)),
  };
}

async function talk(gateway) {
  let words = '';
  for await (const text of gateway.chat.completions.stream(question).text()) words += text;
  return words;
}

async function leave(gateway) {
  const controller = new AbortController();
  const { signal } = controller;
  const reason = new Error('That will do');
  try {
    for await (const _ of gateway.chat.completions.stream(question, { signal })) {
      controller.abort(reason);
    }
  } catch (error) {
    if (error.cause !== reason) throw new Error(`The cause is ${error.cause}`, { cause: error });
    throw error;
  }
}

/** How an attempt fails, and whether both ways to ask for the class of its error know it. */
async function failure(attempt) {
  try {
    return { answer: await attempt() };
  } catch (error) {
    const { name, status, code, outcome } = error;
    const kind = Object.entries(polygate).find(([key]) => key === name)?.[1];
    const known = PolygateError.is(error) && kind !== undefined && error instanceof kind;
    return known ? { name, status, code, outcome } : { unknown: error.stack };
  }
}

async function batch(gateway, journal) {
  const outcomes = [];
  const describe = (prompt) => gateway.images.submission({ ...drawing, prompt });
  for await (const row of gateway.batch(['A', 'B'], describe, { journal, pollInterval: 20 })) {
    outcomes.push(row.error?.name ?? row.status);
  }
  return outcomes;
}

async function inProcess(createMockGateway) {
  const { apiKey, baseURL, fetch } = createMockGateway();
  return talk(new Polygate({ apiKey, baseURL, fetch, dangerouslyAllowBrowser: true }));
}

/** A page asks a proxy that runs here; browsers are no place for one. */
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
    image: (await page.images.generate(drawing, { pollInterval: 20 })).status,
    lost: await failure(() => page.chat.completions.create(question)),
  };
}
