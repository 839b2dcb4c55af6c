import { expect, test } from 'vitest';

import { firstDownloadStep, nextDownloadStep } from '../../../src/client/tasks/download-step.ts';
import type {
  DownloadStep,
  FirstDownloadStep,
  DownloadSource,
} from '../../../src/client/tasks/download-step.ts';
import { clientOf, hang, scripted } from '../support.ts';

const file = new Response('frames', { headers: { 'content-length': '6' } });

const part = (contentRange: string) =>
  new Response('mes', { status: 206, headers: { 'content-range': contentRange } });

const movedTo = (location: string, status = 302) =>
  new Response(null, { status, headers: { location } });

const wholeFile: Partial<DownloadStep> = {
  type: 'read',
  part: expect.objectContaining({ start: 0 }),
};
const lastHalf: Partial<DownloadStep> = {
  type: 'read',
  part: expect.objectContaining({ start: 3 }),
};
const elsewhere: DownloadStep = { type: 'redirect', url: 'https://other.example/film.mp4' };

test.each<[string, Response, { start?: number; redirects?: number }, Partial<DownloadStep>]>([
  ['a file', file, {}, wholeFile],
  ['a file, after three redirects', file, { redirects: 3 }, wholeFile],
  ['a file, although a part was requested', file, { start: 3 }, wholeFile],
  ['the requested part', part('bytes 3-5/6'), { start: 3 }, lastHalf],
  ['another part', part('bytes 2-5/6'), { start: 3 }, { type: 'wrong-part' }],
  ['a part, although the file was requested', part('bytes 0-2/6'), {}, { type: 'wrong-part' }],

  ['a redirect', movedTo('https://other.example/film.mp4'), {}, elsewhere],
  [
    'a redirect without a host',
    movedTo('/b'),
    {},
    { type: 'redirect', url: 'https://a.example/b' },
  ],
  ['a third redirect', movedTo('https://other.example/film.mp4'), { redirects: 2 }, elsewhere],
  [
    'a fourth redirect',
    movedTo('https://other.example/film.mp4'),
    { redirects: 3 },
    { type: 'error', problem: 'more than 3 redirects' },
  ],
  // It is rejected before anything is sent, like any other address that is not allowed.
  ['a redirect to no URL', movedTo('https://'), {}, { type: 'redirect', url: 'https://' }],
  ['a redirect without a location', new Response(null, { status: 302 }), {}, { type: 'error' }],
  ['a redirect that a browser hides', Response.error(), {}, { type: 'error' }],

  ['an expired URL', new Response('gone', { status: 410 }), {}, { type: 'expired' }],
  ['an expired signature', new Response('', { status: 403 }), {}, { type: 'expired' }],
  ['a deleted file', new Response('', { status: 404 }), { start: 3 }, { type: 'expired' }],
  ['an expired URL with a location', movedTo('/b', 404), {}, { type: 'expired' }],
  ['an error with a location', movedTo('/b', 500), {}, { type: 'error' }],
  ['a missing authorization', new Response('', { status: 401 }), {}, { type: 'error' }],
  ['a range after the end', new Response(null, { status: 416 }), { start: 9 }, { type: 'error' }],
])('%s', (_, response, { start, redirects = 0 }, expected) => {
  const request = { url: 'https://a.example/film.mp4', start, redirects };
  expect(nextDownloadStep(response, request)).toEqual(expected);
});

const gateway = clientOf(scripted(hang).fetch);
const task = gateway.images.task('task_1');
const url = 'https://a.example/film.mp4';

test.each<[string, Partial<DownloadSource>, FirstDownloadStep]>([
  ['a URL is fetched', { urls: [url] }, { type: 'fetch', url, pollable: undefined }],
  ['a result is fetched', { urls: [url], task }, { type: 'fetch', url, pollable: task }],
  [
    'a preview is fetched',
    { urls: [url], isFinal: false, task },
    { type: 'fetch', url, pollable: task },
  ],
  [
    'a task without a known result is polled',
    { isFinal: false, task },
    { type: 'poll', pollable: task },
  ],
  [
    'a task with too few previews is polled',
    { urls: [], isFinal: false, task },
    { type: 'poll', pollable: task },
  ],
  ['a task with too few results has none', { urls: [], task }, { type: 'no-result' }],
  ['a record without a task has none', { urls: [], isFinal: false }, { type: 'no-result' }],
])('%s', (_, source, expected) => {
  const given: DownloadSource = { name: 'the task', urls: undefined, isFinal: true, ...source };
  expect(firstDownloadStep(given, 0)).toEqual(expected);
});
