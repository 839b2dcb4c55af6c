import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';

import * as polygate from 'polygate';
import { expect, onTestFinished, test } from 'vitest';

import { anchorsOf, root } from '../docs/guides.ts';
import { literalsOf, messagesOf, sourceText } from './message-literals.ts';

const guide = readFileSync(new URL('docs/errors.md', root), 'utf8');
const { ConnectionError, PolygateError } = polygate;

const classes = Object.values(polygate).flatMap((value) =>
  typeof value === 'function' && value.prototype instanceof PolygateError ? [value] : [],
);

test('every error names its section of the guide', () => {
  const anchors = anchorsOf(guide);
  expect(classes.length).toBeGreaterThan(25);
  for (const { name, prototype } of classes) {
    const { docs } = Object.create(prototype, { name: { value: name } });
    expect(docs).toMatch(/^\/guides\/errors\.html#/);
    expect(anchors).toContain(docs.split('#')[1]);
  }
});

test('a printed error ends with the address of its section if a site is configured', () => {
  const error = new ConnectionError('It failed.', { outcome: 'unknown' });
  expect(inspect(error)).not.toContain('#connectionerror');
  PolygateError.docsURL = 'https://docs.example';
  onTestFinished(() => {
    PolygateError.docsURL = undefined;
  });
  expect(inspect(error).split('\n').at(-1)).toBe(
    '  https://docs.example/guides/errors.html#connectionerror',
  );
  expect(JSON.stringify(error)).not.toContain('docs.example');
});

test('each message in the guide is one of the client', () => {
  const source = sourceText();
  const parts = messagesOf(guide).flatMap((message) => message.split('…'));
  const texts = parts
    .map((part) => part.replaceAll(/^[:\s]+|[:\s]+$/g, ''))
    .filter((part) => part.length > 3);
  expect(texts.length).toBeGreaterThan(40);
  // Statuses and codes are those of the service.
  expect(
    texts.filter((part) => !source.includes(part) && !part.startsWith('400 invalid_request')),
  ).toEqual([]);
});

test('the guide says what to do about each reason, in the section about reasons', () => {
  const source = readFileSync(new URL('src/paid/reason.ts', root), 'utf8');
  const [, union = ''] = /export type ErrorReason =([^;]+);/.exec(source) ?? [];
  const reasons = Array.from(union.matchAll(/'([^']+)'/g), ([, reason = '']) => reason);
  const [, section = ''] = /^## Find a reason$(.*?)^## /ms.exec(guide) ?? [];
  expect(reasons.length).toBeGreaterThan(25);
  expect(reasons.filter((reason) => !section.includes(`\`${reason}\``))).toEqual([]);
});

/** A mistake of the client's own. */
const internal = 'journal: was not read.';

test('the guide has every message with which the client creates an error', () => {
  const texts = literalsOf(sourceText());
  expect(texts.length).toBeGreaterThan(30);
  const listed = messagesOf(guide).map(
    (message) => message.replace('row …: ', '').split('…')[0]?.trim() ?? '',
  );
  const isListed = (text: string) =>
    guide.includes(text) || listed.some((start) => start.length > 3 && text.startsWith(start));
  expect(texts.filter((text) => text !== internal && !isListed(text))).toEqual([]);
});
