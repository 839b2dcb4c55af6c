import ky from 'ky';

import { key, messages } from '../client.ts';
import type { Client, Completion } from '../client.ts';

const headers = { authorization: `Bearer ${key}` };

/** ky, used as in its readme. */
export const client: Client = {
  request: (base) => async () => {
    const completion = await ky
      .post(`${base}/json/v1/chat/completions`, { headers, json: { model: 'bench', messages } })
      .json<Completion>();
    return completion.choices[0]!.message.content;
  },
};
