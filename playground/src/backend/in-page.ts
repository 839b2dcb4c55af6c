import { Lab } from '../../lab/lab.ts';
import type { Backend } from './backend.ts';
import { restoreGateway } from './gateway-state.ts';

const { mock, session } = restoreGateway();
const upstream = {
  apiKey: mock.apiKey,
  baseURL: mock.baseURL,
  fetch: (input: string | URL | Request, init?: RequestInit) => mock.fetch(input, init),
  mock,
  session,
};
const lab = new Lab(upstream);
const recordedFetch = lab.recorder.record(upstream.fetch);

/** The reference gateway and the lab in the page itself: nothing leaves the browser. */
export const backend: Backend = {
  isInPage: true,
  client: {
    apiKey: mock.apiKey,
    baseURL: mock.baseURL,
    fetch: recordedFetch,
    // The key is that of a gateway in this page, and opens nothing else.
    dangerouslyAllowBrowser: true,
  },
  async fetch(input, init) {
    const request = new Request(
      typeof input === 'string' ? new URL(input, location.href) : input,
      init,
    );
    const { pathname } = new URL(request.url);
    return pathname === '/api/chat' ? chat(request) : lab.handle(request);
  },
  listen: (listener) => {
    lab.subscribe(listener);
  },
  async loadFile(url) {
    if (!url.startsWith(mock.baseURL)) return url;
    const response = await mock.fetch(url);
    // The gateway still has its own URL in the error.
    if (!response.ok) throw new Error(`The gateway has no file at ${url}`);
    return URL.createObjectURL(await response.blob());
  },
  finishIdentityCheck: async (url, outcome) => {
    await mock.fetch(`${url}?outcome=${outcome}`);
  },
  storage: sessionStorage,
};

/** The AI SDK is large, and few visitors use it. */
async function chat(request: Request): Promise<Response> {
  const { createAiSdkRoute } = await import('../../lab/ai-sdk.ts');
  return createAiSdkRoute(backend.client)(request);
}
