import { hasExpiredURL } from '../../../wire/types/tasks/task.ts';

/** Requests a URL, and returns whether the response says that it has expired. False if there is no response to read. */
export async function hasExpired(url: string | undefined): Promise<boolean> {
  if (!url) return false;
  const controller = new AbortController();
  const { signal } = controller;
  // Most servers do not let a page read the responses of another origin.
  const response = await fetch(url, { signal }).catch(() => undefined);
  controller.abort();
  return hasExpiredURL(response?.status ?? 0);
}
