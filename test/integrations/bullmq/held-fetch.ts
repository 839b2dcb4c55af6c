/** A `fetch` whose responses arrive only after `release` was called. */
export function holdResponses(): { fetch: typeof fetch; release: () => void } {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    async fetch(...request) {
      const response = await fetch(...request);
      await held;
      return response;
    },
    release,
  };
}
