import { mkdir, readFile, writeFile } from 'node:fs/promises';

import { saveTo } from 'polygate/node';
import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import { clientOf, jsonReply, scripted, textReply } from '../../client/support.ts';
import { rejection } from '../../support/rejection.ts';
import { emptyFolder } from './support.ts';

const url = 'https://files.example/result';

const save = (path: string, mediaType = 'image/png', options = {}) =>
  saveTo(clientOf(scripted(textReply(200, 'bytes', mediaType)).fetch), url, path, options);

describe('{ext} in the path of a saved file', () => {
  test.each([
    ['image/png', 'png'],
    ['Image/JPEG; q=1', 'jpg'],
    ['image/svg+xml', 'svg'],
    ['image/heic', 'heic'],
    ['video/mp4', 'mp4'],
    ['video/quicktime', 'mov'],
    ['audio/mpeg', 'mp3'],
    ['audio/x-wav', 'wav'],
    ['application/octet-stream', 'bin'],
    ['image/../../etc', 'bin'],
    ['', 'bin'],
  ])('becomes the extension of the media type %s', async (mediaType, extension) => {
    const folder = await emptyFolder();
    const saved = await save(folder.file('harbor.{ext}'), mediaType);
    expect(saved.path).toBe(folder.file(`harbor.${extension}`));
    expect(await folder.names()).toEqual([`harbor.${extension}`]);
  });

  test.each(['application/xml', 'text/xml'])('is svg for an SVG of the type %s', async (type) => {
    const folder = await emptyFolder();
    const { fetch } = scripted(
      jsonReply(200, { id: 'task_1', status: 'completed', image_url: url }),
      textReply(200, '<svg xmlns="http://www.w3.org/2000/svg"/>', type),
      textReply(200, '<a/>', type),
    );
    const gateway = clientOf(fetch);
    const image = gateway.images.task('task_1');
    const saved = await saveTo(gateway, image, folder.file('harbor.{ext}'));
    expect(saved.path).toBe(folder.file('harbor.svg'));
    // Nothing is known about a URL.
    const other = await saveTo(gateway, url, folder.file('harbor.{ext}'));
    expect(other.path).toBe(folder.file('harbor.bin'));
  });

  test('replaces a file of that name', async () => {
    const folder = await emptyFolder();
    await writeFile(folder.file('harbor.png'), 'old');
    await save(folder.file('harbor.{ext}'));
    expect(await readFile(folder.file('harbor.png'), 'utf8')).toBe('bytes');
  });

  test('is rejected in the name of a folder', async () => {
    const folder = await emptyFolder();
    const error = await rejection(ConfigurationError, save(folder.file('{ext}/harbor')));
    expect(error.message).toContain('in the name of a folder');
  });

  test('does not replace a folder', async () => {
    const folder = await emptyFolder();
    await mkdir(folder.file('harbor.png'));
    const error = await rejection(ConfigurationError, save(folder.file('harbor.{ext}')));
    expect(error.message).toContain('is not a regular file');
    expect(await folder.names()).toEqual(['harbor.png']);
  });
});

describe('with overwrite: false, an existing file', () => {
  const options = { overwrite: false };

  test.each([
    ['harbor.png', 'harbor.png'],
    ['harbor.{ext}', 'harbor.jpg'],
    ['{ext}-harbor', 'webp-harbor'],
  ])('of the path %s is kept, and nothing is downloaded', async (name, existing) => {
    const folder = await emptyFolder();
    await writeFile(folder.file(existing), 'old');
    const { fetch, sent } = scripted(textReply(200, 'bytes', 'image/png'));
    const saving = saveTo(clientOf(fetch), url, folder.file(name), options);
    const error = await rejection(ConfigurationError, saving);
    expect(error).toMatchObject({ code: 'EEXIST' });
    expect(error.message).toContain('Nothing was downloaded');
    expect(sent).toHaveLength(0);
    expect(await readFile(folder.file(existing), 'utf8')).toBe('old');
    expect(await folder.names()).toEqual([existing]);
  });

  test.each(['harbor.png', 'harbor.{ext}'])(
    'that appears during the download to %s is kept',
    async (name) => {
      const folder = await emptyFolder();
      const { fetch } = scripted(async () => {
        await writeFile(folder.file('harbor.png'), 'old');
        return new Response('bytes', { headers: { 'content-type': 'image/png' } });
      });
      const saving = saveTo(clientOf(fetch), url, folder.file(name), options);
      expect(await rejection(ConfigurationError, saving)).toMatchObject({ code: 'EEXIST' });
      expect(await readFile(folder.file('harbor.png'), 'utf8')).toBe('old');
      expect(await folder.names()).toEqual(['harbor.png']);
    },
  );

  test('of another name does not matter', async () => {
    const folder = await emptyFolder();
    await writeFile(folder.file('harbor-2.png'), 'old');
    await save(folder.file('harbor.{ext}'), 'image/png', options);
    expect(await folder.names()).toEqual(['harbor-2.png', 'harbor.png']);
  });
});
