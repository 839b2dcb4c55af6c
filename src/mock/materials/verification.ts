import { param } from '../http/request-context.ts';
import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { bodyResponse } from '../http/response/response.ts';
import type { MockResponse } from '../http/response/response.ts';
import { verificationEndedPage, verificationPage } from '../pages/verification.ts';
import type { MaterialState } from '../state.ts';
import { statusOf } from './store.ts';

/** The verification URL is secret: it is not cached and not sent to the callback as a referrer. */
const privateHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** The statuses that a callback may receive. Specification: Events. */
const callbackStatus = /^(creating|processing|available|verification_\w+)$/;

/**
 * Handles a request to a verification URL. A browser gets a page that offers both outcomes. A request
 * with an `outcome`, or from another program such as a test, is immediately redirected to the
 * callback; verification succeeds unless the outcome is `failed`. Specification: Events.
 */
export function verify(context: RequestContext): MockResponse {
  const { materials } = context.services;
  const material = materials.byToken(param(context, 'token'));
  const status = material === undefined ? 'expired' : statusOf(material, context.now);
  const outcome = context.query.get('outcome');
  const isBrowser = context.headers.get('accept')?.includes('text/html') === true;
  if (material?.verification === undefined || !callbackStatus.test(status)) {
    if (isBrowser) return html(404, verificationEndedPage());
    throw new GatewayError(404, 'material_not_found', 'This verification has ended');
  }
  if (status === 'verification_pending') {
    if (isBrowser && outcome === null) return html(200, verificationPage(material));
    if (outcome === 'failed') materials.failVerification(material);
    else materials.startProcessing(material, context.now);
  }
  const location = callbackLocation(material, material.verification.callbackUrl, context.now);
  return bodyResponse(302, 'text/plain; charset=utf-8', '', { ...privateHeaders, location });
}

/** Returns the callback URL with exactly the two documented query parameters. */
function callbackLocation(material: MaterialState, url: string, now: number): string {
  const target = new URL(url);
  const status = statusOf(material, now);
  const query = new URLSearchParams({ material_id: material.id, material_status: status });
  target.search = query.toString();
  return target.href;
}

function html(status: number, body: string): MockResponse {
  return bodyResponse(status, 'text/html; charset=utf-8', body, privateHeaders);
}
