import type { RequestPromise } from 'polygate';

import { isRecord } from '../../../wire/types/type-guards.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { isAboutEndpoint, messageOf, statusOf } from '../run/failure.ts';
import type { Report } from '../run/report.ts';
import { list } from '../text.ts';

/** The public records, each with the list that the client assumes in it. */
function publicRecords({
  client: { public: api },
  signal,
}: DiagnosisContext): (readonly [string, () => RequestPromise<object>, string?])[] {
  const options = { signal };
  return [
    ['status', () => api.status({}, options)],
    ['capabilities', () => api.capabilities(options), 'endpoints'],
    ['errors', () => api.errors(options), 'data'],
    ['changelog', () => api.changelog(options), 'data'],
    ['pricing', () => api.pricing({}, options), 'data'],
    ['rate-limits', () => api.rateLimits(options), 'tiers'],
  ];
}

/** Whether the public endpoints exist and have the assumed shapes. Assumptions A16 and A18. */
export const publicEndpoints: Check = {
  id: 'public',
  title: 'Public endpoints',
  requires: 'gateway',
  assumptions: [
    { id: 'A16', ifOpen: 'Not tested.' },
    { id: 'A18', aspect: 'webhooks', ifOpen: 'Not tested.' },
  ],
  async run(context, report) {
    const { missing, different, webhooks, headers } = await readRecords(context);
    if (headers !== undefined) reportClock(headers, report);
    const about = report.on('A16');
    if (missing.length > 0) {
      const detail = `These public endpoints do not respond as documented: ${list(missing)}.`;
      const advice = 'Only the methods of gateway.public for them are affected.';
      about.warning(detail, { advice });
    } else if (different.length > 0) {
      about.ok(
        `These records have another shape than assumed: ${list(different)}. The client keeps them as sent.`,
      );
    } else {
      about.ok('All public records have the assumed shapes.');
    }
    const state = isRecord(webhooks) ? webhooks['enabled'] : undefined;
    const known =
      typeof state === 'boolean' &&
      `According to the capabilities, webhooks are ${state ? 'enabled' : 'disabled'}. `;
    report
      .on('A18')
      .skipped(
        `${known || ''}How webhooks are signed is not documented, so the client verifies nothing.`,
      );
  },
};

/** Reads all public records. */
async function readRecords(context: DiagnosisContext) {
  const missing: string[] = [];
  const different: string[] = [];
  let webhooks: unknown;
  let headers: Headers | undefined;
  for (const [name, send, listName] of publicRecords(context)) {
    try {
      const { data, meta } = await context.read(send());
      const record: unknown = data;
      if (listName && isRecord(record) && !Array.isArray(record[listName])) different.push(name);
      if (name === 'capabilities' && isRecord(record)) ({ webhooks } = record);
      if (name === 'status') ({ headers } = meta);
    } catch (error) {
      if (!isAboutEndpoint(error)) throw error;
      missing.push(`${name} (${statusOf(error) ?? messageOf(error)})`);
    }
  }
  return { missing, different, webhooks, headers };
}

/** The largest difference between two clocks that is not reported, in ms. */
const maxSkew = 120_000;

function reportClock(headers: Headers, report: Report): void {
  const age = Number(headers.get('age') ?? 0) * 1000;
  const skew = Date.now() - (Date.parse(headers.get('date') ?? '') + age);
  if (!(Math.abs(skew) > maxSkew)) return;
  const minutes = Math.round(Math.abs(skew) / 60_000);
  report
    .onAspect('clock', 'Clock')
    .warning(
      `The clock of this machine is ${minutes} minutes ${skew > 0 ? 'ahead of' : 'behind'} the clock of the service.`,
      {
        advice:
          'Synchronize it: result URLs, verification URLs and Retry-After dates are times of the service.',
      },
    );
}
