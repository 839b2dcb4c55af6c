/** Adds 60 rows to the queue. Running it again adds nothing, because the rows have the same ids. */
import { pickModel } from '../support/gateway.ts';
import { openQueue } from './queue.ts';

const { gateway, queue } = openQueue();
const model = await pickModel(gateway, 'image');
const numbers = Array.from({ length: 60 }, (_, index) => index + 1);

await queue.addBulk(numbers, (number) => ({
  id: `harbor-${number}`,
  submission: gateway.images.submission({ model, prompt: `A harbor, picture ${number}` }),
}));
await queue.close();
