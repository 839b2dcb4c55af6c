import { z } from 'zod';

import type { RunOptions, Tool, ToolCall, ToolContext } from '../../src/index.ts';
import { clientOf } from './event-stream.ts';

const question = {
  role: 'user' as const,
  content: 'What is the weather in Paris, and what time is it?',
};
export const chatParams = { model: 'aurora-chat', messages: [question] };

const place = z.object({ city: z.string() });

/** A tool that records its calls. */
export function tool(
  name: string,
  execute: (args: { city: string }, context: ToolContext) => unknown = () => 'sunny',
) {
  const calls: { args: { city: string }; context: ToolContext }[] = [];
  const definition = {
    name,
    description: `Returns the ${name}`,
    parameters: place,
    execute(args: { city: string }, context: ToolContext) {
      calls.push({ args, context });
      return execute(args, context);
    },
  };
  return { ...definition, calls };
}

export const toolCall = (id: string, name: string, args: string): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

/** A client whose model returns these messages in turn, at 0.1 USD each, and the request bodies that it receives. */
export function scriptedModel(...messages: readonly object[]) {
  const requests: any[] = [];
  const gateway = clientOf(async (input, init) => {
    const reply = messages[requests.length];
    requests.push(await new Request(input, init).json());
    const message = { role: 'assistant', content: null, ...reply };
    const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
    const headers = { 'x-svc-charge-usd': '0.1', 'x-request-id': `req-${requests.length}` };
    if (reply === undefined) return new Response('{}', { status: 400, headers });
    return Response.json(
      { id: `c-${requests.length}`, choices: [{ index: 0, message, finish_reason }] },
      { headers },
    );
  });
  const run = (tools: Tool[], options?: RunOptions) =>
    gateway.chat.completions.run({ ...chatParams, tools }, options);
  return { gateway, requests, run };
}

export const finalMessage = { content: 'It is sunny.' };
export const callTools = (...tool_calls: ToolCall[]) => ({ tool_calls });
export const parisArgs = '{"city":"Paris"}';

/** The tool results that the second request sends to the model. */
export const toolResults = (requests: any[]) =>
  requests[1].messages
    .filter(({ role }: any) => role === 'tool')
    .map(({ content }: any) => content);
