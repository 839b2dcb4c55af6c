import type { Model } from 'polygate';

import { modelTypes } from '../../../wire/types/catalog/pricing.ts';
import { isNonEmptyString } from '../../../wire/types/type-guards.ts';
import { needed } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { isAboutEndpoint, messageOf, ifAvailable } from '../run/failure.ts';
import type { Report } from '../run/findings.ts';
import { cheapestOf } from '../spending.ts';
import { list } from '../text.ts';

/** Which models there are, and whether their prices can be read. Assumption A17. */
export const modelList: Check<readonly Model[]> = {
  id: 'models',
  title: 'Models and prices',
  requires: 'key',
  assumptions: [{ id: 'A17', aspect: 'styles', ifOpen: 'Not tested.' }],
  async run(context, report, keep) {
    const { client, signal } = context;
    const { data } = await context.read(client.models.list({}, { signal }));
    const found = data.data;
    keep(found);
    const byType = new Map<string, number>();
    for (const { type } of found) {
      const name = isNonEmptyString(type) ? type : 'untyped';
      byType.set(name, (byType.get(name) ?? 0) + 1);
    }
    const counts = [...byType].map(([type, count]) => `${count} ${type}`);
    const missing = modelTypes.filter((type) => !byType.has(type));
    if (found.length === 0) {
      const advice = 'Check which models the key may use: every paid request names one.';
      report.failed('The key can use no models.', { advice });
    } else if (missing.length > 0) {
      report.warning(`Models: ${list(counts)}. There are none of type ${list(missing)}.`);
    } else {
      report.ok(`Models: ${list(counts)}.`);
    }
    if (found.length > 0) reportPrices(found, report.onAspect('prices', 'Prices'));
    await checkStyles(context, report.on('A17'));
  },
};

function reportPrices(found: readonly Model[], report: Report): void {
  const unpriced = found.filter((model) => cheapestOf(model) === undefined);
  if (unpriced.length === 0) {
    return report.ok('Every model has a price that the client can read.');
  }
  const names = list(unpriced.map(({ id }) => id));
  report.warning(
    `The client cannot read the price of ${unpriced.length} of ${found.length} models: ${names}.`,
    { advice: 'For these models, a budget counts charges only after they were made.' },
  );
}

async function checkStyles({ client, signal }: DiagnosisContext, report: Report): Promise<void> {
  const problems: string[] = [];
  for (const style of ['anthropic', 'gemini'] as const) {
    try {
      await client.models.list({ style }, { signal });
    } catch (error) {
      if (!isAboutEndpoint(error)) throw error;
      problems.push(`${style}: ${messageOf(error)}`);
    }
  }
  const [problem] = problems;
  if (problem === undefined) {
    report.ok('Both lists have the shape of the API that they imitate.');
  } else {
    report.warning(`models.list({ style }) fails with ${problem}`);
  }
}

/** How many pages of 100 materials are read at most. */
const maxPages = 5;

/** How the list of materials ends. Assumption A21. */
export const materials: Check = {
  id: 'materials',
  title: 'Material library',
  requires: 'key',
  assumptions: [
    { id: 'A21', ifOpen: 'Not tested.' },
    {
      id: 'A22',
      aspect: 'verification',
      ifOpen: 'Only the verification of a real person would show how long its URL is valid.',
    },
  ],
  async run(context, report) {
    const { client, signal } = context;
    const about = report.on('A21');
    const received = await ifAvailable(
      about,
      context.read(client.materials.list({ limit: 100 }, { signal })),
    );
    if (received === undefined) return;
    let { data: page } = received;
    let count = page.data.length;
    for (let pages = 1; ; pages += 1) {
      const next = await page.nextPage();
      if (next === null) break;
      if (pages === maxPages) {
        return about.skipped(
          `The library has more than ${count} materials, so its last page was not read.`,
        );
      }
      count += next.data.length;
      page = next;
    }
    const { has_more, next_cursor }: { has_more?: unknown; next_cursor?: unknown } = page;
    const ends = has_more === false && (next_cursor === null || next_cursor === undefined);
    const cursor =
      next_cursor === undefined ? 'no next_cursor' : `next_cursor ${JSON.stringify(next_cursor)}`;
    about.ok(
      `The last page of ${count} materials has has_more ${JSON.stringify(has_more)} and ${cursor}${ends ? '.' : ', which the client takes for the end.'}`,
    );
  },
};

/** Which voices there are. Creating one costs money, so assumptions A12 and A19 are not tested. */
export const voices: Check = {
  id: 'voices',
  title: 'Voices',
  requires: 'key',
  assumptions: [
    {
      id: 'A12',
      aspect: 'replay',
      ifOpen: `Only a voice clone or design, which is expensive, would show whether its key is replayed. ${needed.retryAmbiguousVoices().advice}`,
    },
    {
      id: 'A19',
      aspect: 'currency',
      ifOpen: 'The prices of clones and designs could not be compared with a catalog.',
    },
  ],
  async run(context, report) {
    const { client, signal } = context;
    const received = await ifAvailable(report, context.read(client.voices.list({}, { signal })));
    if (received === undefined) return;
    const count = received.data.data.length;
    if (count > 0) report.ok(`There are ${count} voices.`);
    else report.warning('There are no voices, so speech needs a clone or design first.');
    const about = report.on('A19');
    let currency: string | undefined;
    try {
      ({ currency } = await client.public.pricing({ type: 'audio' }, { signal }));
    } catch (error) {
      if (!isAboutEndpoint(error)) throw error;
      // The check `public` reports it.
      return about.skipped(`The pricing catalog could not be read: ${messageOf(error)}`);
    }
    if (currency === undefined || currency === 'USD') {
      return about.skipped(
        `Only a voice clone or design, which is expensive, would show its currency. The pricing catalog is in ${currency ?? 'an unnamed currency'}.`,
      );
    }
    about.warning(
      `The pricing catalog is in ${currency}, and the client takes voice prices for USD.`,
      {
        advice:
          'Compare the first charge of a voice with estimate.voiceClone or estimate.voiceDesign.',
      },
    );
  },
};
