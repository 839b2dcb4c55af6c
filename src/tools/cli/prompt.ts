import { text as readText } from 'node:stream/consumers';

import { UsageError } from './arguments.ts';

/**
 * Returns the prompt from the command line, or else from stdin without its last line break. Throws a `UsageError` if there
 * is none, or more than one.
 */
export async function readPrompt(positionals: readonly string[], name = 'prompt'): Promise<string> {
  if (positionals.length > 1) {
    throw new UsageError(`one ${name} is expected, not ${positionals.length}: put it in quotes`);
  }
  const [given] = positionals;
  if (given === undefined && process.stdin.isTTY) {
    throw new UsageError(`no ${name}: pass it in quotes, or pipe it to this command`);
  }
  const prompt = given ?? (await readText(process.stdin)).replace(/\r?\n$/, '');
  if (prompt.trim() === '') throw new UsageError(`the ${name} is empty`);
  return prompt;
}
