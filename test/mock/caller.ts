import type { MockGateway } from '../../src/mock/index.ts';

/** Sends requests to a gateway without the client. */
export interface Caller {
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  remove(path: string): Promise<Response>;
  /** Sends a GET and returns the JSON of the response. */
  read(path: string): Promise<any>;
  /** Sends a POST and returns the JSON of the response. */
  submit(path: string, body: unknown, headers?: Record<string, string>): Promise<any>;
}

/** Creates a caller that uses the given key. */
export function callerOf(mock: MockGateway, key = mock.apiKey): Caller {
  const authorization = `Bearer ${key}`;
  const get: Caller['get'] = (path, headers = {}) =>
    mock.fetch(mock.baseURL + path, { headers: { authorization, ...headers } });
  const post: Caller['post'] = (path, body, headers = {}) =>
    mock.fetch(mock.baseURL + path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return {
    get,
    post,
    remove: (path) =>
      mock.fetch(mock.baseURL + path, { method: 'DELETE', headers: { authorization } }),
    read: async (path) => (await get(path)).json(),
    submit: async (path, body, headers) => (await post(path, body, headers)).json(),
  };
}

/** The code of an error response. */
export async function codeOf(response: Response): Promise<string> {
  const body = await response.json();
  return body.error.code;
}

/** The `data` of every event of a stream, including `[DONE]`. */
export async function eventsOf(response: Response): Promise<string[]> {
  const text = await response.text();
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => block.slice('data: '.length));
}

export const image = { model: 'prism-image', prompt: 'a fox' };
export const video = { model: 'tide-video', prompt: 'a wave' };
export const music = { model: 'anthem-music', prompt: 'a march' };
export const speech = { model: 'echo-speech', text: 'Hello', voice_id: 'calm-narrator' };
export const chat = { model: 'aurora-chat', messages: [{ role: 'user', content: 'Hello there' }] };
