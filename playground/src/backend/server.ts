import type { LabState } from '../../shared/lab.ts';
import type { Backend } from './backend.ts';

/** A server with a proxy, which adds the API key. The static page has the backend of `in-page.ts` instead. */
export const backend: Backend = {
  isInPage: false,
  client: {
    apiKey: null,
    baseURL: '/api/gateway',
    fetch: (input, init) => fetch(input, init),
  },
  fetch: (input, init) => fetch(input, init),
  listen(listener) {
    // `EventSource` reconnects by itself.
    const events = new EventSource('/api/lab/events');
    events.addEventListener('message', ({ data }: MessageEvent<string>) => {
      // Trusted without validation: the playground's own server sends this type.
      const state: LabState = JSON.parse(data);
      listener(state);
    });
    events.addEventListener('error', () => listener(undefined));
  },
  loadFile: (url) => url,
  storage: localStorage,
};
