import type { ToolCall } from '../../schemas/chat-params.ts';
import type { ChatRequest, Tool } from './request.ts';
import { hash } from '../random.ts';
import { sample } from './sample-json.ts';

/** How much of a prompt, its end, decides about tools, characters. */
const heard = 2000;

/** What the model calls: the tools that it has to, or those that the user speaks of. */
export function calledBy(request: ChatRequest): ToolCall['function'][] {
  const prompt = request.prompt.slice(-heard);
  const wanted = chosen({ ...request, prompt });
  const called = request.parallel ? wanted : wanted.slice(0, 1);
  const times = called.length * request.choices;
  return called.map((tool) => ({
    name: tool.name,
    arguments: argumentsFor(tool, prompt, times),
  }));
}

/** The calls of one choice, with ids of their own. */
export function toolCalls(called: readonly ToolCall['function'][], seed: string): ToolCall[] {
  return called.map((call, index) => ({
    id: `call_${hash(`${seed} ${call.name} ${index}`).toString(36).padStart(7, '0')}`,
    type: 'function',
    function: call,
  }));
}

function chosen({ tools, forced, prompt, toolResult }: ChatRequest): Tool[] {
  if (tools.length === 0 || forced === 'never') return [];
  if (typeof forced === 'object') {
    const named = tools.find((tool) => tool.name === forced.name);
    return [named ?? { name: forced.name, parameters: undefined }];
  }
  const spokenOf = tools.filter((tool) => speaksOf(prompt, tool.name));
  if (forced === 'any') return spokenOf.length > 0 ? spokenOf : tools.slice(0, 1);
  return toolResult === undefined ? spokenOf : [];
}

/** Words that stand in many names of functions and tell nothing. */
const empty = new Set(['get', 'set', 'find', 'list', 'make', 'create', 'search', 'current', 'the']);

/** Whether a prompt names a tool, or a telling word of its name: `get_weather` and "weather". */
function speaksOf(prompt: string, name: string): boolean {
  const said = prompt.toLowerCase();
  if (said.includes(name.toLowerCase())) return true;
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => word.length > 2 && !empty.has(word) && said.includes(word));
}

/**
 * Texts in the arguments are the last capitalised word of the prompt, often a name, else its last
 * word.
 */
function argumentsFor(tool: Tool, prompt: string, times: number): string {
  const words = prompt.match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.slice(1).findLast((word) => /^\p{Lu}/u.test(word));
  const value = sample(
    tool.parameters ?? { type: 'object' },
    name ?? words.at(-1) ?? 'example',
    times,
  );
  return JSON.stringify(value);
}
