// Sends chats at once, over a connection that is already open, and prints how each ended. The `fetch` of Node 26
// negotiates HTTP/2.
import { Polygate } from 'polygate';

const [count = '1'] = process.argv.slice(2);
const gateway = new Polygate({
  random: () => 0,
  logLevel: 'off',
  concurrency: false,
});
await gateway.models.list();
const messages = [{ role: 'user', content: 'Why do ships float?' }];
const results = await Promise.all(
  Array.from({ length: Number(count) }, () =>
    gateway.chat.completions.create({ model: 'aurora-chat', messages }).then(
      () => 'charged',
      (error) => error.outcome ?? error.name,
    ),
  ),
);
console.log([...new Set(results)].join());
