/** Sends one chat request and prints the response and its price. */
import { Polygate } from 'polygate';

import { pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate(); // reads POLYGATE_API_KEY and POLYGATE_BASE_URL

const { data: completion, meta } = await gateway.chat.completions
  .create({
    model: await pickModel(gateway, 'chat'),
    messages: [
      { role: 'system', content: 'Answer in one sentence.' },
      { role: 'user', content: 'Why do harbors have lighthouses?' },
    ],
  })
  .withResponse();

console.log(completion.choices[0]?.message.content);
console.log();
console.log(`model    ${completion.model}`);
console.log(`tokens   ${completion.usage?.total_tokens}`);
console.log(`cost     $${meta.chargeUsd}`);
console.log(`request  ${meta.requestId}`);

await stop();
