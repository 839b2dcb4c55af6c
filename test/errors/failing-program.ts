/**
 * Fails like a user's program: nothing catches the error of a call, or it is logged. `FAILURES` names the failures, each with
 * how many more functions await the call.
 */
import { Polygate } from 'polygate';

const { FAILURES = '', HOW = 'uncaught' } = process.env;
const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'prompt-canary' }] };
const image = { model: 'm', prompt: 'prompt-canary' };
const headers = { 'x-request-id': 'req_42', 'x-secret': 'header-canary' };
const chunk = {
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'm',
  choices: [{ index: 0, delta: { content: 'Ahoy' }, finish_reason: null }],
};

const respond = (status: number, body: unknown) => () =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
const largeBody = { object: 'list', rows: Array.from({ length: 1_000 }, () => 'x'.repeat(100)) };
const insufficient = { message: 'Insufficient balance', type: 'billing', code: 'no_balance' };

function gatewayWith(...replies: (() => Response)[]) {
  const fetch = async () => (replies.length > 1 ? replies.shift() : replies[0])!();
  const options = { apiKey: 'sk-canary-8c1f', baseURL: 'http://127.0.0.1:6666', maxRetries: 0 };
  return new Polygate(replies.length > 0 ? { ...options, fetch } : options);
}

const failures: Readonly<Record<string, () => Promise<unknown>>> = {
  payment: () => gatewayWith(respond(402, { error: insufficient })).images.submit(image),
  connection: () => gatewayWith().images.submit(image),
  stream: () => {
    const type = { 'content-type': 'text/event-stream' };
    const body = `data: ${JSON.stringify(chunk)}\n\n`;
    const gateway = gatewayWith(() => new Response(body, { headers: { ...headers, ...type } }));
    return gateway.chat.completions.stream(chat).final();
  },
  task: () => {
    const failed = { id: 'task_1', status: 'failed', error: { message: 'Flagged' } };
    const gateway = gatewayWith(respond(202, { id: 'task_1' }), respond(200, failed));
    return gateway.images.generate(image, { pollInterval: 0 });
  },
  body: () => gatewayWith(respond(200, largeBody)).models.list(),
};

async function myFunction(failure: string, depth: number): Promise<void> {
  await (depth > 0 ? myFunction(failure, depth - 1) : failures[failure]?.());
}

async function main() {
  for (const [failure = '', depth = ''] of FAILURES.split(' ').map((each) => each.split(':'))) {
    try {
      await myFunction(failure, Number(depth));
    } catch (error) {
      if (HOW === 'uncaught') throw error;
      console.log(error);
      console.log('---');
    }
  }
}

await main();
