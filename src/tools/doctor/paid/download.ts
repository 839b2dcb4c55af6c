import type { Polygate, SucceededGeneration } from 'polygate';

import { fetchOf, isLoopbackHost } from '../../../internal/downloads.ts';
import { parseURL } from '../../../wire/types/type-guards.ts';
import type { Check } from '../run/check.ts';

/** The largest image that is downloaded, in bytes. */
const maxBytes = 100 * 1024 * 1024;

/** Whether the result of the image task can be downloaded. */
export const download = (result: SucceededGeneration<'image'> | undefined): Check => ({
  id: 'download',
  title: 'Download',
  requires: 'key',
  async run({ client, signal }, report) {
    if (result === undefined) return report.skipped('There is no result to download.');
    const downloader = allowOwnLoopback(client, result.urls[0]);
    const response = await downloader.download(result, { maxBytes, signal });
    const { byteLength } = await response.arrayBuffer();
    const type = response.headers.get('content-type') ?? 'unknown type';
    if (byteLength === 0 || !/^(image\/|application\/octet-stream|binary)/.test(type)) {
      return report.warning(`The URL of the image returns ${byteLength} bytes of ${type}.`, {
        advice: 'Open the URL of a result in a browser to see what it shows.',
      });
    }
    const unverified =
      response.complete === true
        ? ''
        : ' Its server reports no size, so a download that is cut off can look complete.';
    report.ok(`The image has ${byteLength} bytes of ${type}.${unverified}`);
  },
});

/**
 * A client that may download from this machine if the gateway runs there: from the origin of the gateway only, and
 * wherever it redirects to.
 */
function allowOwnLoopback(client: Polygate, url: string): Polygate {
  const { origin, hostname } = new URL(client.baseURL);
  if (!isLoopbackHost(hostname) || parseURL(url)?.origin !== origin) return client;
  const fetch = fetchOf(client);
  return client.withOptions({
    allowInsecureBaseURL: true,
    fetch: (input, init) =>
      new URL(input instanceof Request ? input.url : input).origin === origin
        ? fetch(input, init)
        : Promise.reject(new Error('The result redirects away from the gateway.')),
  });
}
