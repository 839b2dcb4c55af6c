import type { Check } from '../check.ts';
import { ifAvailable } from '../failure.ts';

/** Which voices there are. Creating one costs money, so assumptions A12 and A19 are not tested. */
export const voices: Check = {
  id: 'voices',
  title: 'Voices',
  needs: 'key',
  assumptions: [
    [
      'A12',
      'Only a voice clone or design, which is expensive, would show whether its key is replayed. If your service guarantees it, set retryAmbiguous.voices.',
    ],
    ['A19', 'The prices of clones and designs could not be compared with a catalog.'],
  ],
  async *run(context) {
    const { client, signal } = context;
    const received = await ifAvailable(context.read(client.voices.list({}, { signal })));
    if ('detail' in received) {
      yield received;
      return;
    }
    const count = received.data.data.length;
    yield count > 0
      ? { status: 'ok', detail: `There are ${count} voices.` }
      : {
          status: 'warning',
          detail: 'There are no voices, so speech needs a clone or design first.',
        };
    const { currency } = await client.public.pricing({ type: 'audio' }, { signal });
    const assumption = 'A19';
    yield currency === undefined || currency === 'USD'
      ? {
          assumption,
          status: 'skipped',
          detail: `Only a voice clone or design, which is expensive, would show its currency. The pricing catalog is in ${currency ?? 'an unnamed currency'}.`,
        }
      : {
          assumption,
          status: 'warning',
          detail: `The pricing catalog is in ${currency}, and the client takes voice prices for USD.`,
          advice:
            'Compare the first charge of a voice with estimate.voiceClone or estimate.voiceDesign.',
        };
  },
};
