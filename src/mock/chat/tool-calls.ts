import type { ToolCall } from '../../wire/types/chat/params.ts';
import { hash } from '../random.ts';
import type { ChatRequest, Tool } from './request.ts';
import { sampleValue } from './sample-json.ts';

/** Number of characters at the end of the prompt that are searched for tool names. */
const promptScanLength = 2000;

/** Returns the function calls of the model: the tools that are required or that the prompt mentions. */
export function selectToolCalls(request: ChatRequest): ToolCall['function'][] {
  const prompt = request.prompt.slice(-promptScanLength);
  const selected = selectTools({ ...request, prompt });
  const tools = request.parallelToolCalls ? selected : selected.slice(0, 1);
  const copies = tools.length * request.choices;
  return tools.map((tool) => ({
    name: tool.name,
    arguments: argumentsFor(tool, prompt, copies),
  }));
}

/** Gives the calls of one choice their own ids. */
export function withCallIds(calls: readonly ToolCall['function'][], seed: string): ToolCall[] {
  return calls.map((call, index) => ({
    id: `call_${hash(`${seed} ${call.name} ${index}`).toString(36).padStart(7, '0')}`,
    type: 'function',
    function: call,
  }));
}

function selectTools({ tools, toolChoice, prompt, toolResult }: ChatRequest): Tool[] {
  if (tools.length === 0 || toolChoice === 'none') return [];
  if (typeof toolChoice === 'object') {
    const named = tools.find((tool) => tool.name === toolChoice.name);
    return [named ?? { name: toolChoice.name, parameters: undefined }];
  }
  const mentioned = tools.filter((tool) => mentions(prompt, tool.name));
  if (toolChoice === 'required') return mentioned.length > 0 ? mentioned : tools.slice(0, 1);
  return toolResult === undefined ? mentioned : [];
}

/** Words that are too common in function names to identify a tool. */
const commonWords = new Set([
  'get',
  'set',
  'find',
  'list',
  'make',
  'create',
  'search',
  'current',
  'the',
]);

/** Whether the prompt contains a tool's name or a distinctive word in it: `get_weather`, "weather". */
function mentions(prompt: string, name: string): boolean {
  const text = prompt.toLowerCase();
  if (text.includes(name.toLowerCase())) return true;
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => word.length > 2 && !commonWords.has(word) && text.includes(word));
}

/**
 * Creates arguments that match the tool's schema. String arguments are the last capitalized word of the
 * prompt, which is often a name, or else its last word.
 */
function argumentsFor(tool: Tool, prompt: string, copies: number): string {
  const words = prompt.match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.slice(1).findLast((word) => /^\p{Lu}/u.test(word));
  const text = name ?? words.at(-1) ?? 'example';
  return JSON.stringify(sampleValue(tool.parameters ?? { type: 'object' }, text, copies));
}
