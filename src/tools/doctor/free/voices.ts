import { needed } from '../needed-options.ts';
import type { Check } from '../run/check.ts';
import { isAboutEndpoint, messageOf } from '../run/failure.ts';
import { ifAvailable } from '../run/if-available.ts';

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
