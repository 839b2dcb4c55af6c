import { inspect, isDeepStrictEqual } from 'node:util';

import { isProxy, reactive, readonly, ref, shallowRef, watch } from '@vue/reactivity';
import { expect, test } from 'vitest';

import { ChatClient } from '../../src/chat.ts';
import { createPolygate } from '../../src/integrations/ai-sdk/index.ts';
import { chat, image, onMock } from './support.ts';

/** An object of each class of the client that an app can keep. */
async function everyObject() {
  const { mock, gateway } = onMock();
  const { apiKey, baseURL, fetch } = mock;
  const chats = new ChatClient({ apiKey, baseURL, fetch });
  const provider = createPolygate({ client: gateway });
  const waiting = await gateway.images.submit(image);
  return {
    gateway,
    chats,
    task: await gateway.images.submit(image),
    stream: await gateway.chat.completions.create({ ...chat, stream: true }),
    chatStream: gateway.chat.completions.stream(chat),
    submission: gateway.videos.submission({ model: 'tide-video', prompt: 'A harbor' }),
    question: gateway.chat.completions.submission(chat),
    request: gateway.models.list(),
    latest: waiting.latest,
    done: await mock.clock.settle(waiting.wait()),
    chatModel: provider.languageModel('aurora-chat'),
    imageModel: provider.imageModel('prism-image'),
    clock: mock.clock,
  };
}

/** Whether the class of an object, or one that it extends, has private members. */
function hasPrivateMembers(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!prototype || prototype === Object.prototype || typeof prototype !== 'object') return false;
  return /#\w/.test(String(prototype.constructor)) || hasPrivateMembers(prototype);
}

/** All objects that an app can reach from a value through its properties and getters. */
function reachableFrom(value: unknown, found = new Set<object>()): Set<object> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  found.add(value);
  for (let owner = value; owner !== Object.prototype && owner;) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      reachableFrom(Reflect.get(value, name), found);
    }
    owner = Object.getPrototypeOf(owner);
  }
  return found;
}

test('Vue wraps no object of the client that has private members', async () => {
  const objects = Object.values(await everyObject());
  const reachable = objects.flatMap((object) => [...reachableFrom(object)]);
  const own = reachable.filter(hasPrivateMembers);
  // Clients, namespaces, tasks, streams, submissions, promises, and the metadata of responses.
  expect(new Set(own.map((object) => object.constructor.name)).size).toBeGreaterThan(15);
  for (const object of own) {
    expect([object.constructor.name, isProxy(reactive(object))]).toEqual([
      object.constructor.name,
      false,
    ]);
  }
});

test('every way to keep an object in Vue leaves it usable', async () => {
  for (const [name, object] of Object.entries(await everyObject())) {
    const list = reactive<object[]>([]);
    list.push(object ?? {});
    const state = reactive({ nested: { object } });
    for (const kept of [
      ref(object).value,
      shallowRef(object).value,
      state.nested.object,
      readonly(state).nested.object,
      reactive(new Map([[name, object]])).get(name),
      list[0],
    ]) {
      if (hasPrivateMembers(object ?? {})) expect(kept).toBe(object);
      // Reads every property and calls every getter.
      expect(() => [reachableFrom(kept), JSON.stringify(kept)]).not.toThrow();
    }
  }
});

test('a task in a ref is polled, waited for, and written as its receipt', async () => {
  const { mock, gateway } = onMock();
  const state = reactive({ gateway, tasks: [] as unknown[] });
  const task = ref(await state.gateway.images.submit(image));
  state.tasks.push(task.value);
  await task.value.retrieve();
  const { urls } = await mock.clock.settle(task.value.wait());
  expect(urls).toHaveLength(1);
  expect(JSON.parse(JSON.stringify(state.tasks))).toMatchObject([{ v: 1, id: task.value.id }]);
  // What the last poll returned contains metadata, whose headers are parsed when they are read.
  const latest = ref(task.value.latest);
  expect(JSON.stringify(latest.value)).toContain(urls[0]);
});

test.each(['text', 'loop', 'final'] as const)('a stream in a ref is read by %s', async (way) => {
  const { gateway } = onMock();
  const stream = ref(gateway.chat.completions.stream(chat));
  const texts: unknown[] = [];
  if (way === 'text') for await (const text of stream.value.text()) texts.push(text);
  if (way === 'loop') for await (const chunk of stream.value) texts.push(chunk);
  const { choices } = await stream.value.final();
  expect(choices[0]?.message.content).toContain('You said');
  if (way !== 'final') expect(texts).not.toHaveLength(0);
});

test('the mark is visible to Vue alone', async () => {
  for (const [name, object] of Object.entries(await everyObject())) {
    if (!object || !hasPrivateMembers(object) || object instanceof Promise) continue;
    expect([name, Reflect.get(object, '__v_skip')]).toEqual([name, true]);
    expect(inspect(object, { depth: 3 })).not.toContain('__v_skip');
    expect(Object.keys(Object.assign({}, object))).not.toContain('__v_skip');
    for (const key in object) expect(key).not.toBe('__v_skip');
    expect(JSON.stringify(object) ?? '').not.toContain('__v_skip');
  }
  const { gateway } = onMock();
  const receipt = { id: 'task_1', kind: 'image', v: 1 } as const;
  const [one, two] = [gateway.images.task(receipt), gateway.images.task(receipt)];
  expect(isDeepStrictEqual(one, two)).toBe(true);
  expect(one).toEqual(two);
  expect(JSON.stringify(structuredClone(one))).not.toContain('__v_skip');
});

test('Vue shows the states of a task that is kept next to the task', async () => {
  const { mock, gateway } = onMock();
  const task = shallowRef(await gateway.images.submit(image));
  const statuses: unknown[] = [];
  const update = ref<unknown>();
  watch(update, (status) => statuses.push(status));
  const onUpdate = ({ status }: { status: string }) => void (update.value = status);
  await mock.clock.settle(task.value.wait({ onUpdate }));
  expect(statuses.at(-1)).toBe('succeeded');
});
