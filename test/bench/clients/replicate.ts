import Replicate from 'replicate';

import { key, prompt } from '../client.ts';
import type { Client, Completion } from '../client.ts';

export const client: Client = {
  request: (base) => {
    const replicate = new Replicate({ auth: key, baseUrl: `${base}/json/v1` });
    return async () => {
      const prediction: unknown = await replicate.predictions.create({
        model: 'bench/model',
        input: { prompt },
      });
      return (prediction as Completion).choices[0]!.message.content;
    };
  },

  wait: (base, interval) => {
    const replicate = new Replicate({ auth: key, baseUrl: `${base}/wait/processing/succeeded` });
    return async (id) => {
      const initial = { id, status: 'processing' } as Awaited<
        ReturnType<typeof replicate.predictions.get>
      >;
      const { output } = await replicate.wait(initial, { interval });
      return output[0];
    };
  },
};
