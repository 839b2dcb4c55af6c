import { describe, expect, test } from 'vitest';

import { NotFoundError } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import { rejection } from '../../support/rejection.ts';
import {
  jsonReply,
  baseURL,
  clientOf,
  onMock,
  errorReply,
  scripted,
  textReply,
  virtualClock,
} from '../support.ts';
import type { Reply } from '../support.ts';

const video = { model: 'tide-video', prompt: 'A harbor' };
const image = { model: 'prism-image', prompt: 'A harbor' };

const done = jsonReply(200, { id: 't-1', status: 'completed', url: 'https://cdn.example/a' });
const running = jsonReply(200, { id: 't-1', status: 'running' });

/** Plays the replies in order and repeats the last one. */
function inTurn(...replies: [...Reply[], Reply]): Reply {
  const last = replies.at(-1) ?? done;
  return (sent) => (replies.shift() ?? last)(sent);
}

interface Service {
  /** Fields of the submit response besides the id. */
  body?: object;
  /** `Location` header of the submit response. */
  location?: string;
  /** Reply of all other paths. */
  missing?: Reply;
  options?: PolygateOptions;
}

/** A client of a service that serves these GET paths; every submit creates the task t-1. */
function serving(paths: Record<string, Reply>, service: Service = {}) {
  const { body = {}, location, missing = errorReply(404, 'not_found'), options = {} } = service;
  const headers = location === undefined ? {} : { location };
  const submitted = jsonReply(202, { id: 't-1', status: 'queued', ...body }, headers);
  const { fetch, sent } = scripted((request) => {
    const { pathname, search } = new URL(request.url);
    return (request.method === 'POST' ? submitted : (paths[pathname + search] ?? missing))(request);
  });
  const clock = virtualClock();
  const gateway = clientOf(fetch, { clock, ...options });
  const polls = () => {
    const gets = sent.filter(({ method }) => method === 'GET');
    return gets.map(({ url }) => url.replace(baseURL, ''));
  };
  const generate = (kind: 'images' | 'videos') =>
    clock.settle<unknown>(
      kind === 'images' ? gateway.images.generate(image) : gateway.videos.generate(video),
    );
  return { gateway, clock, sent, polls, generate };
}

describe('a task is polled at the path that the service names', () => {
  const sources = [
    ['an absolute Location', { location: `${baseURL}/v1/jobs/7?part=1` }, '/v1/jobs/7?part=1'],
    ['a Location without a host', { location: '/v1/jobs/7' }, '/v1/jobs/7'],
    ['poll_url', { body: { poll_url: `${baseURL}/v1/jobs/7` } }, '/v1/jobs/7'],
    ['a poll_url without a host', { body: { poll_url: '/v1/jobs/7' } }, '/v1/jobs/7'],
    ['status_url', { body: { status_url: `${baseURL}/v1/jobs/7` } }, '/v1/jobs/7'],
  ] satisfies [string, Service, string][];

  test.each(sources)('in %s', async (_, service, path) => {
    const { generate, polls } = serving({ [path]: done }, service);
    await generate('videos');
    expect(polls()).toEqual([path]);
  });

  test('with Location before poll_url, and poll_url before status_url', async () => {
    const body = { poll_url: '/v1/second', status_url: '/v1/third' };
    const paths = { '/v1/first': done, '/v1/second': done, '/v1/third': done };
    const all = serving(paths, { location: '/v1/first', body });
    await all.generate('images');
    expect(all.polls()).toEqual(['/v1/first']);
    const two = serving(paths, { body });
    await two.generate('images');
    expect(two.polls()).toEqual(['/v1/second']);
  });

  test('and at the default path if the named one returns 404', async () => {
    const { generate, polls } = serving({ '/v1/images/tasks/t-1': done }, { location: '/v1/gone' });
    await generate('images');
    expect(polls()).toEqual(['/v1/gone', '/v1/images/tasks/t-1']);
  });
});

describe('polling never leaves the origin', () => {
  const foreignAddresses = [
    'https://evil.example/v1/videos/t-1',
    '//evil.example/v1/videos/t-1',
    '\\\\evil.example\\v1',
    `${baseURL}.evil.example/v1/videos/t-1`,
    `${baseURL.replace('https:', 'http:')}/v1/videos/t-1`,
    `${baseURL}:8443/v1/videos/t-1`,
    `https://evil.example@gateway.example/v1/jobs/7`,
    `https://gateway.example@evil.example/v1/videos/t-1`,
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://',
  ];

  test.each(foreignAddresses)('for the address %j', async (address) => {
    const services: Service[] = [
      { location: address },
      { body: { poll_url: address } },
      { body: { status_url: address } },
      { location: address, body: { poll_url: '/v1/jobs/7' } },
    ];
    for (const service of services) {
      const paths = { '/v1/videos/t-1': done, '/v1/jobs/7': done };
      const { generate, polls, sent } = serving(paths, service);
      await generate('videos');
      const hasPollUrl = service.location !== undefined && service.body !== undefined;
      expect(polls()).toEqual([hasPollUrl ? '/v1/jobs/7' : '/v1/videos/t-1']);
      for (const { url } of sent) expect(new URL(url).origin).toBe(baseURL);
    }
  });

  test.each([7, null, {}, '', ['/v1/jobs/7']])(
    'and ignores %j, which is not an address',
    async (address) => {
      const body = { poll_url: address, status_url: address };
      const { generate, polls } = serving({ '/v1/videos/t-1': done }, { body });
      await generate('videos');
      expect(polls()).toEqual(['/v1/videos/t-1']);
    },
  );
});

describe('where the specification documents no path', () => {
  const assumed = {
    videos: ['/v1/videos/t-1', '/v1/video/generations/t-1', '/v1/videos/generations/t-1'],
    images: ['/v1/images/tasks/t-1', '/v1/images/generations/t-1'],
  };
  const notServed: [string, Reply][] = [
    ['404', errorReply(404)],
    ['404 with a code that is not about tasks', errorReply(404, 'not_found')],
    ['404 of a web server', textReply(404, '<html>Not Found</html>', 'text/html')],
    ['405', errorReply(405)],
    ['405 without a body', textReply(405, '')],
  ];

  describe.each(notServed)('and a path responds with %s', (_, missing) => {
    test.each(['videos', 'images'] as const)(
      'the client tries the others immediately: %s',
      async (kind) => {
        const last = assumed[kind].at(-1) ?? '';
        const { generate, polls, clock } = serving({ [last]: done }, { missing });
        const since = clock.now();
        await generate(kind);
        expect(polls()).toEqual(assumed[kind]);
        expect(clock.now() - since).toBeLessThan(5_000);
      },
    );
  });

  test('the client remembers the path that worked, for this task and for later ones', async () => {
    const [first = '', second = ''] = assumed.videos;
    const { generate, polls } = serving({ [second]: inTurn(running, running, done) });
    await generate('videos');
    expect(polls()).toEqual([first, second, second, second]);
    await generate('videos');
    expect(polls().slice(4)).toEqual([second]);
  });

  test('the client does not use a path that worked for one kind for another kind', async () => {
    const { generate, polls } = serving({
      '/v1/videos/generations/t-1': done,
      '/v1/images/tasks/t-1': done,
    });
    await generate('videos');
    await generate('images');
    expect(polls().at(-1)).toBe('/v1/images/tasks/t-1');
  });

  test('the client tries no other path on a 404 after a successful poll', async () => {
    const [first = ''] = assumed.videos;
    const { generate, polls } = serving({ [first]: inTurn(running, errorReply(404), done) });
    await generate('videos');
    expect(polls()).toEqual([first, first, first]);
  });

  test.each([404, 405])(
    'the client tries no other path on a %i with task_not_found',
    async (status) => {
      const missing = errorReply(status, 'task_not_found');
      const { gateway, polls } = serving({}, { missing });
      await expect(gateway.videos.retrieve('t-1')).rejects.toMatchObject({
        code: 'task_not_found',
      });
      expect(polls()).toEqual(['/v1/videos/t-1']);
    },
  );

  test('the client rejects with NotFoundError after trying all paths three times', async () => {
    const { generate, polls } = serving({});
    const error = await rejection(NotFoundError, generate('videos'));
    expect(error.task?.id).toBe('t-1');
    expect(polls()).toEqual([...assumed.videos, ...assumed.videos, ...assumed.videos]);
  });

  test('the client tries no other path on other errors', async () => {
    const [first = ''] = assumed.videos;
    const { generate, polls } = serving({
      [first]: inTurn(errorReply(503), errorReply(500), done),
    });
    await generate('videos');
    expect(polls()).toEqual([first, first, first]);
  });

  test.each(['videos', 'video/generations', 'videos/generations'] as const)(
    'the client finds a video if the reference gateway serves it only at %s',
    async (A1) => {
      const { gateway, mock } = onMock({ assumptions: { A1 } });
      const finished = await mock.clock.settle(gateway.videos.generate(video));
      expect(finished.status).toBe('succeeded');
      expect(mock.requests.at(-1)?.path).toBe(`/v1/${A1}/${finished.id}`);
    },
  );

  test.each(['images/tasks', 'images/generations'] as const)(
    'the client finds an image if the reference gateway serves it only at %s',
    async (A2) => {
      const { gateway, mock } = onMock({ assumptions: { A2 } });
      const finished = await mock.clock.settle(gateway.images.generate(image));
      expect(mock.requests.at(-1)?.path).toBe(`/v1/${A2}/${finished.id}`);
    },
  );
});

describe('the paths option', () => {
  const options = { paths: { videoTask: '/v2/films/{id}', imageTask: '/v2/{id}/picture' } };

  test('sets the paths at which tasks are polled', async () => {
    const { generate, polls } = serving(
      { '/v2/films/t-1': done, '/v2/t-1/picture': done },
      { options },
    );
    await generate('videos');
    await generate('images');
    expect(polls()).toEqual(['/v2/films/t-1', '/v2/t-1/picture']);
  });

  test('encodes the id', async () => {
    const { gateway, polls } = serving({ '/v2/films/a%2Fb%3Fc': done }, { options });
    await gateway.videos.retrieve('a/b?c');
    expect(polls()).toEqual(['/v2/films/a%2Fb%3Fc']);
  });

  test('is overridden by a path from the service', async () => {
    const { generate, polls } = serving(
      { '/v1/jobs/7': done },
      { options, location: '/v1/jobs/7' },
    );
    await generate('videos');
    expect(polls()).toEqual(['/v1/jobs/7']);
  });
});
