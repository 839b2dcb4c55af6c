/** Makes an image for each prompt, six at a time. The results are in memory until all of them are there. */
export async function makeImages(
  { fetch, baseURL, apiKey }: { fetch: typeof globalThis.fetch; baseURL: string; apiKey: string },
  prompts: readonly string[],
  save: (prompt: string, image: unknown) => void,
) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const queue = prompts.values();
  const work = async () => {
    for (const prompt of queue) save(prompt, await makeImage(prompt));
  };
  await Promise.all(Array.from({ length: 6 }, work));

  async function makeImage(prompt: string) {
    const body = JSON.stringify({ model: 'prism-image', prompt });
    const init = { method: 'POST', headers, body };
    let task = await (await fetch(`${baseURL}/v1/images/tasks`, init)).json();
    while (task.status === 'queued' || task.status === 'processing') {
      await new Promise((resolve) => setTimeout(resolve, 200));
      task = await (await fetch(`${baseURL}/v1/images/tasks/${task.id}`, { headers })).json();
    }
    return task;
  }
}
