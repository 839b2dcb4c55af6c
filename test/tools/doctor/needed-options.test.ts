/** For every option: with which facts a diagnosis recommends it. */
import {
  APIError,
  ConfigurationError,
  NotFoundError,
  PermissionDeniedError,
  TaskWaitTimeoutError,
} from 'polygate';
import { expect, test } from 'vitest';

import { emptyMeta } from '../../../src/client/http/response-meta.ts';
import { needed } from '../../../src/tools/doctor/needed-options.ts';
import type { Needed } from '../../../src/tools/doctor/needed-options.ts';

const failed = (status: number) => new APIError(String(status), { meta: emptyMeta(status) });
const notFound = new NotFoundError('404', { meta: emptyMeta(404) });
const disabled = { meta: emptyMeta(403), code: 'api_key_disabled' };
const late = new TaskWaitTimeoutError('late');

const base = 'https://one.example';
const redirectTo = (url: string) => needed.baseURLOfRedirect(base, new URL(url));

const ids = { isRead: false, hasId: false, accepted: undefined, returned: undefined };

const search = {
  name: 'imageTask',
  assumed: '/a/{id}',
  isAssumedMissing: true,
  found: '/b/{id}',
  isTried: true,
} as const;
const imagePath = { paths: { imageTask: '/b/{id}' } };

/** The option that is recommended; `advice` if there is only a text, and `nothing` if it is not needed. */
const recommended = (need: Needed | undefined) =>
  need === undefined ? 'nothing' : (need.option ?? 'advice');

const rows: [facts: string, need: Needed | undefined, expected: ReturnType<typeof recommended>][] =
  [
    ['there is no API key', needed.apiKey(new ConfigurationError('apiKey')), 'advice'],
    ['the API key is rejected', needed.apiKey(failed(401)), 'advice'],
    [
      'the API key is disabled',
      needed.apiKey(new PermissionDeniedError('403', disabled)),
      'advice',
    ],
    ['the account is forbidden', needed.apiKey(failed(403)), 'nothing'],
    ['the account fails', needed.apiKey(failed(500)), 'nothing'],

    ['no gateway is found', needed.baseURL(undefined), 'nothing'],
    ['the gateway is elsewhere', needed.baseURL(`${base}/api`), { baseURL: `${base}/api` }],
    [
      'the same host redirects',
      redirectTo(`${base}/api/v1/status`),
      { baseURL: 'https://one.example/api' },
    ],
    ['the same host redirects without TLS', redirectTo('http://one.example/v1/status'), 'advice'],
    ['the same host redirects to a page', redirectTo(`${base}/login`), 'advice'],
    ['it redirects to another host', redirectTo('https://two.example/v1/status'), 'advice'],
    ['it redirects to a hidden address', needed.baseURLOfRedirect(base, undefined), 'advice'],

    [
      'another header prefix is found',
      needed.headerPrefix({ isRead: false, prefix: 'x-acme-' }),
      { headerPrefix: 'x-acme-' },
    ],
    ['headers are read', needed.headerPrefix({ isRead: true, prefix: 'x-acme-' }), 'nothing'],
    ['no header is found', needed.headerPrefix({ isRead: false, prefix: undefined }), 'nothing'],

    [
      "the caller's request id is read",
      needed.requestIdHeader({ ...ids, isRead: true, hasId: true, returned: 'x-id' }),
      'nothing',
    ],
    [
      "another header accepts the caller's request id",
      needed.requestIdHeader({ ...ids, hasId: true, accepted: 'x-mine', returned: 'x-id' }),
      { requestIdHeader: 'x-mine' },
    ],
    [
      'only another header returns a request id',
      needed.requestIdHeader({ ...ids, returned: 'x-id' }),
      { requestIdHeader: 'x-id' },
    ],
    [
      'the client reads an id, and another header returns one, too',
      needed.requestIdHeader({ ...ids, hasId: true, returned: 'x-id' }),
      'nothing',
    ],
    ['no header returns a request id', needed.requestIdHeader(ids), 'nothing'],

    ['another path is found', needed.pollPath(search), imagePath],
    ['only an untried path is found', needed.pollPath({ ...search, isTried: false }), imagePath],
    ['the assumed path is found', needed.pollPath({ ...search, found: '/a/{id}' }), 'nothing'],
    [
      'the assumed path may exist',
      needed.pollPath({ ...search, isAssumedMissing: false }),
      'advice',
    ],
    ['no path is found', needed.pollPath({ ...search, found: undefined }), 'advice'],

    [
      'a task is found at another path',
      needed.triedPollPath({ assumed: '/a/{id}', found: '/b/{id}' }),
      imagePath,
    ],
    [
      'a task is found at the first path',
      needed.triedPollPath({ assumed: '/a/{id}', found: '/a/{id}' }),
      'nothing',
    ],
    ['a task is not found', needed.unknownPollPath(notFound), 'advice'],
    ['polls of a task fail', needed.unknownPollPath(failed(500)), 'nothing'],
    ['a wait is too long for the path', needed.unknownPollPath(late), 'nothing'],
    ['a wait is too long', needed.waitTimeout(late), 'advice'],
    ['a wait fails with a 404', needed.waitTimeout(notFound), 'nothing'],

    ['the image route is missing', needed.imageRoute(404), 'advice'],
    ['the image route has other methods', needed.imageRoute(405), 'advice'],
    ['the image route fails', needed.imageRoute(500), 'nothing'],
    ['the image route does not respond', needed.imageRoute(undefined), 'nothing'],

    [
      'a chat is replayed',
      needed.retryAmbiguousChat({ ...emptyMeta(200), idempotentReplay: true }),
      { retryAmbiguous: { chat: true } },
    ],
    ['a chat is charged again', needed.retryAmbiguousChat(emptyMeta(200)), 'nothing'],
    ['nothing is known about voices', needed.retryAmbiguousVoices(), 'advice'],

    ['a reused key creates a second task', needed.noRetries({ isSame: false }), { maxRetries: 0 }],
    ['a reused key returns the same task', needed.noRetries({ isSame: true }), 'nothing'],
  ];

test.each(rows.map(([facts, need, expected]) => ({ facts, need, expected })))(
  'if $facts, $expected is recommended',
  ({ need, expected }) => {
    expect(recommended(need)).toEqual(expected);
  },
);

test.each<[option: string, need: Needed | undefined, isAdopted: boolean]>([
  ['headerPrefix', needed.headerPrefix({ isRead: false, prefix: 'x-acme-' }), true],
  [
    'a requestIdHeader that accepts ids',
    needed.requestIdHeader({ ...ids, accepted: 'x-id' }),
    true,
  ],
  ['one that only returns ids', needed.requestIdHeader({ ...ids, returned: 'x-id' }), false],
  ['a poll path of unknown tasks', needed.pollPath(search), true],
  ['that of a paid task', needed.triedPollPath({ assumed: '/a/{id}', found: '/b/{id}' }), true],
  ['baseURL', needed.baseURL(base), false],
  ['maxRetries', needed.noRetries({ isSame: false }), false],
  [
    'retryAmbiguous',
    needed.retryAmbiguousChat({ ...emptyMeta(200), idempotentReplay: true }),
    false,
  ],
])('whether the rest of the diagnosis uses %s', (_, need, isAdopted) => {
  expect(need?.option).toBeDefined();
  expect(need?.isAdopted ?? false).toBe(isAdopted);
});
