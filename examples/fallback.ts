/** Uses another chat model when the first one is over capacity, and shows which model responded. */
import { Polygate, PolygateError } from 'polygate';

import { startMock } from './support/gateway.ts';

const { mock, stop } = await startMock();
const gateway = new Polygate({
  maxRetries: 1,
  onCharge: ({ model, usd }) => console.log(`${model} charged $${usd}`),
});

try {
  const [model = '', ...fallback] = [...(await gateway.models.list())]
    .filter(({ type }) => type === 'chat')
    .map(({ id }) => id);

  // A real service decides by itself when a model is over capacity.
  const outage = mock?.fail({ model, status: 503 });
  const completion = await gateway.chat.completions.create(
    { model, messages: [{ role: 'user', content: 'Why do harbors have lighthouses?' }] },
    { fallback },
  );
  console.log(`${model} was requested, ${completion.model} responded:`);
  console.log(completion.choices[0]?.message.content);
  outage?.remove();
} catch (error) {
  if (!(error instanceof PolygateError)) throw error;
  // Whether money may have been spent, and what each model has responded.
  console.error(`failed (${error.outcome})`, error.attempts);
  process.exitCode = 1;
} finally {
  await stop();
}
