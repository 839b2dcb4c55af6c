/** Requests a URL, and returns whether the response says that it has expired. False if there is no response to read. */
export async function hasExpired(url: string | undefined): Promise<boolean> {
  if (!url) return false;
  const controller = new AbortController();
  try {
    const { status } = await fetch(url, { signal: controller.signal });
    return [403, 404, 410].includes(status);
  } catch {
    // Most servers do not let a page read the responses of another origin.
    return false;
  } finally {
    controller.abort();
  }
}
