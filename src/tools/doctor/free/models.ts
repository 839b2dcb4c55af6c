import type { Model } from 'polygate';

import { isNonEmptyString } from '../../../wire/types/type-guards.ts';
import { cheapestOf } from '../prices.ts';
import type { Check } from '../run/check.ts';
import type { DiagnosisContext } from '../run/context.ts';
import { isAboutEndpoint, messageOf } from '../run/failure.ts';
import type { Report } from '../run/report.ts';
import { list } from '../text.ts';

const types = ['chat', 'image', 'video', 'audio'];

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
    const missing = types.filter((type) => !byType.has(type));
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
