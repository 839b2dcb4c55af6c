import { describe, expect, test } from 'vitest';

import { contentInsteadOfMedia } from '../../../src/client/tasks/media-check.ts';
import { ResponseValidationError } from '../../../src/index.ts';
import type { Generation } from '../../../src/index.ts';
import { rejection } from '../../support/rejection.ts';
import { caught, clientOf, jsonReply, scripted } from '../support.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d);
const utf16 = (text: string) => Uint8Array.from([0xff, 0xfe, ...Buffer.from(text, 'utf16le')]);
const comment = `<!-- ${'x'.repeat(2_000)} -->`;

describe('a file that is no media is recognized:', () => {
  test.each<[string, Uint8Array, string | null]>([
    ['an empty file', bytesOf(''), 'image/png'],
    ['an HTML page', bytesOf('<!doctype html><title>Expired</title>'), 'text/html; charset=utf-8'],
    ['an HTML page', bytesOf('\uFEFF\n <!-- cache --><HTML lang="en">'), 'image/png'],
    ['an HTML page', bytesOf('<!DOCTYPE html><svg></svg>'), null],
    ['an HTML page', utf16('<html>'), 'image/png'],
    ['XML or HTML', bytesOf('<?xml version="1.0"?><Error><Code>AccessDenied</Code>'), null],
    ['XML or HTML', bytesOf('<body>Gone'), 'image/jpeg'],
    ['XML or HTML', bytesOf(comment), 'text/html'],
    ['JSON', bytesOf('{"error":{"message":"expired"}}'), 'image/png'],
    ['JSON', bytesOf(' [\n {"error": 1}]'), null],
    ['JSON', bytesOf('{}'), 'application/octet-stream'],
    ['a file of the type text/html', bytesOf('Not found'), 'text/html'],
    ['a file of the type application/json', bytesOf('null'), 'Application/JSON;charset=utf-8'],
    ['a file of the type application/problem+json', bytesOf('"x"'), 'application/problem+json'],
    ['a file of the type text/xml', bytesOf('Not found'), 'text/xml'],
  ])('%s', (found, head, contentType) => {
    for (const kind of ['image', 'video', 'audio'] as const) {
      expect(contentInsteadOfMedia(head, { kind, contentType })).toBe(found);
    }
  });
});

describe('a file is a result:', () => {
  test.each<[string, Uint8Array, string | null]>([
    ['an image with its type', png, 'image/png'],
    ['an image without a type', png, null],
    ['an image with the type of a page', png, 'text/html'],
    ['an SVG', bytesOf('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'],
    ['an SVG with the type of XML', bytesOf('<?xml version="1.0"?>\n<svg>'), 'application/xml'],
    ['an SVG with a comment', bytesOf('\uFEFF<?xml?><!-- a > b --><s:svg>'), null],
    ['an SVG with a document type', bytesOf('<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN">'), ''],
    ['an SVG with a long comment', bytesOf(comment).subarray(0, 1_024), 'image/svg+xml'],
    ['an SVG with a long comment', bytesOf(comment).subarray(0, 1_024), 'application/octet-stream'],
    ['an SVG with a long comment', bytesOf(comment).subarray(0, 1_024), 'text/plain'],
    ['an SVG with a long comment', bytesOf(`<?xml?>${comment}`).subarray(0, 1_024), null],
    ['bytes of an unknown format', bytesOf('bytes'), 'application/octet-stream'],
  ])('%s', (_, head, contentType) => {
    expect(contentInsteadOfMedia(head, { kind: 'image', contentType })).toBeUndefined();
  });

  test('samples without a control character', () => {
    const head = new Uint8Array(1_024).fill(0x3c);
    expect(contentInsteadOfMedia(head, { kind: 'audio', contentType: null })).toBeUndefined();
  });

  test.each([0x3c, 0x5b, 0x7b])('samples that begin with the byte %i', (first) => {
    const head = Uint8Array.of(first, 0x22, 0, 1, 2, 3);
    expect(contentInsteadOfMedia(head, { kind: 'audio', contentType: null })).toBeUndefined();
  });
});

test('an SVG is no video and no audio', () => {
  for (const kind of ['video', 'audio'] as const) {
    const file = { kind, contentType: 'image/svg+xml' };
    expect(contentInsteadOfMedia(bytesOf('<svg/>'), file)).toBe('XML or HTML');
  }
});

const record = { id: 'task_1', status: 'completed', image_url: 'https://files.example/a.png' };
const page = '<!doctype html><title>Storage is down</title>';

describe('gateway.download()', () => {
  test.each([1, 7, 1_000])('fails at a page in pieces of %i bytes', async (size) => {
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        const bytes = bytesOf(page);
        for (let at = 0; at < bytes.length; at += size) {
          controller.enqueue(bytes.subarray(at, at + size));
        }
        controller.close();
      },
    });
    const { fetch } = scripted(jsonReply(200, record), () => new Response(pieces));
    const task = clientOf(fetch).images.task('task_1');
    const response = await clientOf(fetch).download(task);
    const error = await rejection(ResponseValidationError, response.arrayBuffer());
    expect(response.complete).toBe(false);
    expect([error.code, error.task, error.outcome]).toEqual(['no_media', task, undefined]);
    expect(error.message).toContain('The result of task task_1 is no image: its server sent an');
    expect(error.message).toContain('The task is paid for, and its result can be fetched again');
    expect(error.message).toContain('gateway.download(error.task)');
  });

  test('fails without a body', async () => {
    const { fetch } = scripted(jsonReply(200, record), () => new Response(null));
    const gateway = clientOf(fetch);
    const error = await caught(gateway.download(gateway.images.task('task_1')));
    expect(error.message).toContain('its server sent an empty file.');
  });

  test('returns the rest of a file, whatever it begins with, and what a URL leads to', async () => {
    const rest = { status: 206, headers: { 'content-range': `bytes 5-49/50` } };
    const { fetch } = scripted(
      jsonReply(200, record),
      () => new Response(page, rest),
      () => new Response(page),
    );
    const gateway = clientOf(fetch);
    const generation: Generation = await gateway.images.task('task_1').wait();
    const part = await gateway.download(generation, { range: { start: 5 } });
    expect(await part.text()).toBe(page);
    expect(await (await gateway.download(record.image_url)).text()).toBe(page);
  });
});
