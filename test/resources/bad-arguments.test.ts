import { describe, expect, test } from 'vitest';

import type { Polygate } from '../../src/index.ts';
import { chat, clientOf, image, scripted, jsonReply } from '../client/support.ts';

/** An object that throws on every access. */
const hostile: any = new Proxy(
  {},
  new Proxy(
    {},
    {
      get: () => () => {
        throw new Error('hostile');
      },
    },
  ),
);

type Call = (gateway: Polygate, args: any[]) => unknown;

/** Every method that returns a promise. */
const promises: Readonly<Record<string, Call>> = {
  'account.retrieve': (gateway, args) => gateway.account.retrieve(...args),
  'account.readiness': (gateway, args) => gateway.account.readiness(...args),
  'account.balance': (gateway, args) => gateway.account.balance(...args),
  'models.list': (gateway, [one, other]) => gateway.models.list(one, other),
  'models.retrieve': (gateway, [one, other]) => gateway.models.retrieve(one, other),
  'chat.completions.create': (gateway, [one, other]) => gateway.chat.completions.create(one, other),
  'chat.completions.parse': (gateway, [one, other]) => gateway.chat.completions.parse(one, other),
  'chat.completions.run': (gateway, [one, other]) => gateway.chat.completions.run(one, other),
  'images.submit': (gateway, [one, other]) => gateway.images.submit(one, other),
  'images.generate': (gateway, [one, other]) => gateway.images.generate(one, other),
  'images.retrieve': (gateway, [one, other]) => gateway.images.retrieve(one, other),
  'images.wait': (gateway, [one, other]) => gateway.images.wait(one, other),
  'videos.submit': (gateway, [one, other]) => gateway.videos.submit(one, other),
  'videos.generate': (gateway, [one, other]) => gateway.videos.generate(one, other),
  'audio.music.submit': (gateway, [one, other]) => gateway.audio.music.submit(one, other),
  'audio.speech.generate': (gateway, [one, other]) => gateway.audio.speech.generate(one, other),
  'voices.list': (gateway, [one, other]) => gateway.voices.list(one, other),
  'voices.clone': (gateway, [one, other]) => gateway.voices.clone(one, other),
  'voices.design': (gateway, [one, other]) => gateway.voices.design(one, other),
  'materials.create': (gateway, [one, other]) => gateway.materials.create(one, other),
  'materials.retrieve': (gateway, [one, other]) => gateway.materials.retrieve(one, other),
  'materials.delete': (gateway, [one, other]) => gateway.materials.delete(one, other),
  'materials.list': (gateway, [one, other]) => gateway.materials.list(one, other),
  'materials.wait': (gateway, [one, other]) => gateway.materials.wait(one, other),
  'materials.register': (gateway, [one, other]) => gateway.materials.register(one, other),
  'public.status': (gateway, [one, other]) => gateway.public.status(one, other),
  'public.error': (gateway, [one, other]) => gateway.public.error(one, other),
  'public.pricing': (gateway, [one, other]) => gateway.public.pricing(one, other),
  'public.errors': (gateway, args) => gateway.public.errors(...args),
  request: (gateway, [one, other]) => gateway.request(one, other),
  download: (gateway, [one, other]) => gateway.download(one, other),
};

/** Every method that returns an iterator. */
const iterators: Readonly<Record<string, Call>> = {
  'materials.updates': (gateway, [one, other]) => gateway.materials.updates(one, other),
  'images.task().updates': (gateway, [one]) => gateway.images.task('task_1').updates(one),
  batch: (gateway, [one, other]) => gateway.batch(one, other, hostile),
  recover: (gateway, [one, other]) => gateway.recover(one, other),
  'chat.completions.stream().text': (gateway, [one, other]) =>
    gateway.chat.completions.stream(one, other).text(),
};

const badValues: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 5],
  ['a string', '..'],
  ['a list', [[]]],
  ['an object that throws', hostile],
];

const valid = { ...image, ...chat, text: 'Hi', url: 'https://host.example/a.png', type: 'image' };
const badArguments = badValues.flatMap(([name, value]) => [
  [`${name} as first argument`, [value]] as const,
  [`${name} as second argument`, [valid, value]] as const,
  [`${name} as second argument, after an id`, ['id_1', value]] as const,
]);

function offline(): Polygate {
  return clientOf(scripted(jsonReply(400, { error: { message: 'no' } })).fetch);
}

describe.each(Object.entries(promises))('%s() never throws synchronously', (_, call) => {
  test.each(badArguments)('but returns a promise for %s', async (__, args) => {
    let returned: unknown;
    expect(() => {
      returned = call(offline(), [...args]);
    }).not.toThrow();
    expect(returned).toBeInstanceOf(Promise);
    await Promise.allSettled([returned]);
  });
});

describe.each(Object.entries(iterators))('%s() never throws synchronously', (_, call) => {
  test.each(badArguments)('but on the first next() for %s', async (__, args) => {
    let returned: any;
    expect(() => {
      returned = call(offline(), [...args]);
    }).not.toThrow();
    const next = returned.next();
    expect(next).toBeInstanceOf(Promise);
    await Promise.allSettled([next]);
  });
});
