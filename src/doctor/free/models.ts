import { isNonEmptyString } from '../../schemas/type-guards.ts';
import type { Check, Findings } from '../check.ts';
import type { DiagnosisContext } from '../context.ts';
import { messageOf } from '../failure.ts';
import { cheapestOf } from '../prices.ts';
import { list } from '../text.ts';

const types = ['chat', 'image', 'video', 'audio'];

/** Which models there are, and whether their prices can be read. Assumption A17. */
export const models: Check = {
  id: 'models',
  title: 'Models and prices',
  needs: 'key',
  assumptions: [['A17']],
  async *run(context) {
    const { client, signal } = context;
    const { data } = await context.read(client.models.list({}, { signal }));
    const found = data.data;
    context.models = found;
    const byType = new Map<string, number>();
    for (const { type } of found) {
      const name = isNonEmptyString(type) ? type : 'untyped';
      byType.set(name, (byType.get(name) ?? 0) + 1);
    }
    const counts = [...byType].map(([type, count]) => `${count} ${type}`);
    const missing = types.filter((type) => !byType.has(type));
    if (found.length === 0) {
      const advice = 'Check which models the key may use: every paid request names one.';
      yield { status: 'failed', detail: 'The key can use no models.', advice };
    } else if (missing.length > 0) {
      yield {
        status: 'warning',
        detail: `Models: ${list(counts)}. There are none of type ${list(missing)}.`,
      };
    } else {
      yield { status: 'ok', detail: `Models: ${list(counts)}.` };
    }
    const unpriced = found.filter((model) => cheapestOf(model) === undefined);
    if (found.length > 0) {
      const prices = { aspect: 'prices', title: 'Prices' };
      const names = list(unpriced.map(({ id }) => id));
      yield unpriced.length === 0
        ? { ...prices, status: 'ok', detail: 'Every model has a price that the client can read.' }
        : {
            ...prices,
            status: 'warning',
            detail: `The client cannot read the price of ${unpriced.length} of ${found.length} models: ${names}.`,
            advice: 'For these models, a budget counts charges only after they were made.',
          };
    }
    yield* styles(context);
  },
};

async function* styles({ client, signal }: DiagnosisContext): Findings {
  const problems: string[] = [];
  for (const style of ['anthropic', 'gemini'] as const) {
    try {
      await client.models.list({ style }, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      problems.push(`${style}: ${messageOf(error)}`);
    }
  }
  const [problem] = problems;
  const assumption = 'A17';
  yield problem === undefined
    ? {
        assumption,
        status: 'ok',
        detail: 'Both lists have the shape of the API that they imitate.',
      }
    : { assumption, status: 'warning', detail: `models.list({ style }) fails with ${problem}` };
}
