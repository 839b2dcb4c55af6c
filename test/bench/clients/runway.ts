import RunwayML from '@runwayml/sdk';

import { key, prompt } from '../client.ts';
import type { Client, Completion } from '../client.ts';

export const client: Client = {
  request: (base) => {
    const runway = new RunwayML({ apiKey: key, baseURL: `${base}/json` });
    return async () => {
      const response: unknown = await runway.textToImage.create({
        model: 'gen4_image',
        promptText: prompt,
        ratio: '1920:1080',
      });
      return (response as Completion).choices[0]!.message.content;
    };
  },
};
