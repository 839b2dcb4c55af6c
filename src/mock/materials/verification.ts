import { text } from '../http/response/response.ts';
import type { MockResponse } from '../http/response/response.ts';
import { param } from '../http/request-context.ts';
import type { RequestContext } from '../http/request-context.ts';
import { statusOf } from './store.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import type { MaterialState } from '../account/state.ts';
import { overPage, verificationPage } from '../pages/verification-page.ts';

/** The address is a secret: nobody keeps it, and the callback does not learn it. */
const secret = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** The statuses that a callback may learn. Specification: Events. */
const told = /^(creating|processing|available|verification_\w+)$/;

/**
 * What a real person opens. A browser gets a page with a choice; whoever asks without one, such as a
 * test, has chosen to pass. A choice sends the caller on to the callback. Specification: Events.
 */
export function verify(call: RequestContext): MockResponse {
  const { materials } = call.services;
  const material = materials.byToken(param(call, 'token'));
  const status = material === undefined ? 'expired' : statusOf(material, call.now);
  const outcome = call.query.get('outcome');
  const isBrowser = call.headers.get('accept')?.includes('text/html') === true;
  if (material?.verification === undefined || !told.test(status)) {
    if (isBrowser) return html(404, overPage());
    throw new GatewayError(404, 'material_not_found', 'This verification is over');
  }
  if (status === 'verification_pending') {
    if (isBrowser && outcome === null) return html(200, verificationPage(material));
    if (outcome === 'failed') material.verificationFailed = true;
    else materials.process(material, call.now);
  }
  const location = callback(material, material.verification.callbackUrl, call.now);
  return text(302, 'text/plain; charset=utf-8', '', { ...secret, location });
}

/** The callback with exactly the two documented parameters. */
function callback(material: MaterialState, url: string, now: number): string {
  const target = new URL(url);
  const status = statusOf(material, now);
  const query = new URLSearchParams({ material_id: material.id, material_status: status });
  target.search = query.toString();
  return target.href;
}

function html(status: number, body: string): MockResponse {
  return text(status, 'text/html; charset=utf-8', body, secret);
}
