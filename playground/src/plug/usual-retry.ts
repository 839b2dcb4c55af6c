/** Sends a request. If no response arrives, it is sent again. */
export async function send(fetch: typeof globalThis.fetch, url: string, init: RequestInit) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(url, init);
      return await response.json();
    } catch (error) {
      if (attempt === 3) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}
