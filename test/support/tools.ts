import { z } from 'zod';

import type { RunOptions, Tool, ToolCall, ToolContext } from '../../src/index.ts';
import { clientOf } from './event-stream.ts';

const question = {
  role: 'user' as const,
  content: 'What is the weather in Paris, and what the time?',
};
export const ask = { model: 'aurora-chat', messages: [question] };

const place = z.object({ city: z.string() });

/** A tool that writes down with what it was called. */
export function tool(
  name: string,
  execute: (args: { city: string }, context: ToolContext) => unknown = () => 'sunny',
) {
  const calls: { args: { city: string }; context: ToolContext }[] = [];
  const made = {
    name,
    description: `Tells the ${name}`,
    parameters: place,
    execute(args: { city: string }, context: ToolContext) {
      calls.push({ args, context });
      return execute(args, context);
    },
  };
  return { ...made, calls };
}

export const call = (id: string, name: string, args: string): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

/** A client of a model that answers these messages in turn, each for a dime, and what it was asked. */
export function model(...answers: readonly object[]) {
  const asked: any[] = [];
  const gateway = clientOf(async (_, init) => {
    const answer = answers[asked.length];
    asked.push(await new Response(init?.body).json());
    const message = { role: 'assistant', content: null, ...answer };
    const headers = { 'x-svc-charge-usd': '0.1', 'x-request-id': `req-${asked.length}` };
    if (answer === undefined) return new Response('{}', { status: 400, headers });
    return Response.json(
      { id: `c-${asked.length}`, choices: [{ index: 0, message }] },
      { headers },
    );
  });
  const run = (tools: Tool[], options?: RunOptions) =>
    gateway.chat.completions.run({ ...ask, tools }, options);
  return { gateway, asked, run };
}

export const done = { content: 'It is sunny.' };
export const asks = (...tool_calls: ToolCall[]) => ({ tool_calls });
export const paris = '{"city":"Paris"}';

/** What the tools of the first round answered. */
export const toldTo = (asked: any[]) =>
  asked[1].messages.filter(({ role }: any) => role === 'tool').map(({ content }: any) => content);
