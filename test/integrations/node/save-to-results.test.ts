import { mkdir, readFile, readlink, symlink } from 'node:fs/promises';

import { saveTo } from 'polygate/node';
import { describe, expect, test } from 'vitest';

import { ConfigurationError, ResponseValidationError } from '../../../src/index.ts';
import { clientOf, jsonReply, scripted, textReply } from '../../client/support.ts';
import { fileServer } from '../../support/file-server.ts';
import { rejection } from '../../support/rejection.ts';
import { emptyFolder, noPause, onNetwork } from './support.ts';

const url = 'https://files.example/film.mp4';
const frames = textReply(200, 'frames', 'Video/MP4; codecs=avc1');
const record = { id: 'task_1', status: 'completed', video_url: url };

describe('saveTo() writes', () => {
  test.each([
    ['latest.mp4', {}],
    ['latest.mp4', { overwrite: false }],
    ['latest.{ext}', {}],
    ['latest.{ext}', { overwrite: false }],
  ])('through a symbolic link to a missing file, as %s with %o', async (name, options) => {
    const folder = await emptyFolder();
    await mkdir(folder.file('films'));
    await symlink('films/film.mp4', folder.file('latest.mp4'));
    const gateway = clientOf(scripted(frames).fetch);
    const saved = await saveTo(gateway, url, folder.file(name), options);
    expect(saved).toMatchObject({ path: folder.file('latest.mp4'), bytes: 6 });
    expect(await readlink(folder.file('latest.mp4'))).toBe('films/film.mp4');
    expect(await readFile(folder.file('films/film.mp4'), 'utf8')).toBe('frames');
    // The target exists now.
    const again = saveTo(gateway, url, folder.file(name), { overwrite: false });
    expect(await rejection(ConfigurationError, again)).toMatchObject({ code: 'EEXIST' });
    expect(await folder.names()).toEqual(['films', 'latest.mp4']);
  });
});

describe('saveTo() retries', () => {
  test.each([
    ['an HTML page', textReply(200, '<html>', 'text/html')],
    ['JSON with a wrong type', textReply(200, '{"error":"expired"}', 'video/mp4')],
    ['XML without a type', () => new Response(new TextEncoder().encode('<Error/>'))],
    ['an empty file', () => new Response(null)],
  ])('%s in place of a result, and writes none of it', async (_, reply) => {
    const folder = await emptyFolder();
    const { fetch } = scripted(jsonReply(200, record), reply, reply, frames);
    const gateway = clientOf(fetch);
    const path = folder.file('film.{ext}');
    const saved = await saveTo(gateway, gateway.videos.task('task_1'), path, noPause);
    expect(saved).toMatchObject({ path: folder.file('film.mp4'), bytes: 6 });
    expect(await readFile(saved.path, 'utf8')).toBe('frames');
    expect(await folder.names()).toEqual(['film.mp4']);
  });

  test('from the beginning after a few bytes, which may be those of a page', async () => {
    const folder = await emptyFolder();
    const page = new TextEncoder().encode(`<!doctype html>${' '.repeat(3_000)}`);
    const headers = { etag: '"page"' };
    const server = await fileServer({ body: page, headers, breakAt: [100, 200] });
    const { fetch: poll } = scripted(jsonReply(200, { ...record, video_url: server.url }));
    const gateway = clientOf(onNetwork(server.url, poll), { allowInsecureBaseURL: true });
    const saving = saveTo(gateway, gateway.videos.task('task_1'), folder.file('film.mp4'), {
      ...noPause,
      maxRetries: 2,
      onProgress: server.onProgress,
    });
    expect((await rejection(ResponseValidationError, saving)).code).toBe('no_media');
    expect(server.requests.map(({ range }) => range)).toEqual([undefined, undefined, undefined]);
    expect(await folder.names()).toEqual([]);
  });
});
