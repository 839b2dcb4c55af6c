// A page or a service worker that makes one call at a time, so that a test can see which files each of them loads.
import { Polygate } from 'polygate';

const messages = [{ role: 'user', content: 'Hello' }];
const image = { model: 'prism-image', prompt: 'A fox' };
const waitOptions = { pollInterval: 20 };

/** The calls of a page. `options` are those of its client, and of each call. */
function callsOf({ model, receipt, ...options }, callOptions) {
  const gateway = new Polygate({ ...options, dangerouslyAllowBrowser: true });
  const chat = { model, messages };
  return {
    create: async () => (await gateway.chat.completions.create(chat)).id,
    stream: async () => (await gateway.chat.completions.stream(chat, callOptions).final()).id,
    fetch: async () => (await gateway.fetch('/v1/models', callOptions)).status,
    batch: async () => {
      const rows = gateway.batch(
        ['a', 'b'],
        () => gateway.chat.completions.submission(chat),
        callOptions,
      );
      return (await Array.fromAsync(rows)).map(({ status }) => status).join();
    },
    hooks: async () => {
      const hooked = gateway.withOptions({ hooks: { beforeRequest: [() => undefined] } });
      return (await hooked.chat.completions.create(chat, callOptions)).id;
    },
    submit: async () => JSON.stringify(await gateway.images.submit(image, callOptions)),
    wait: async () => (await gateway.resume(receipt).wait(waitOptions)).status,
    download: async () => (await gateway.download(gateway.resume(receipt))).status,
  };
}

/** Makes a call, and returns the fields of its error if it fails. */
export const call = async (name, options, { abortAfter, ...callOptions } = {}) => {
  const signal = abortAfter === undefined ? undefined : AbortSignal.timeout(abortAfter);
  try {
    return { result: await callsOf(options, { ...callOptions, signal })[name]() };
  } catch ({ name: error, outcome, message, task }) {
    return { error, outcome, message, task: task?.id };
  }
};

// Only in a service worker.
addEventListener('message', ({ data, ports }) => {
  void call(...data).then((result) => ports[0]?.postMessage(result));
});
