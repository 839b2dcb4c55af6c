/** Generates llms.txt and parts of docs/assumptions.md, docs/command-line.md and docs/errors.md. */
import { readFileSync, writeFileSync } from 'node:fs';

import { isRetryable } from '../src/client/call/retry.ts';
import { assumptions } from '../src/client/config/assumptions.ts';
import { outcomeOf, verdictOf } from '../src/paid/verdict.ts';
import { commandOptions, commonOptions, serviceOptions } from '../src/tools/cli/command-options.ts';
import { codeIs, errorCodes } from '../src/wire/codes.ts';
import { llmsIndex } from './llms.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Returns the content of each generated file, by path. */
export function generatedFiles(): Map<string, string> {
  return new Map([
    ['llms.txt', llmsIndex((path) => path)],
    ['docs/assumptions.md', filled('docs/assumptions.md', 'assumptions', assumptionsList())],
    ['docs/command-line.md', filled('docs/command-line.md', 'options', optionsList())],
    ['docs/errors.md', filled('docs/errors.md', 'codes', codesList())],
  ]);
}

/** The content of a page, with a new text between its marks. */
function filled(path: string, name: string, text: string): string {
  return read(path).replace(
    new RegExp(`(<!-- generated: ${name} -->\\n)[^]*(<!-- /generated -->)`),
    (_, before: string, after: string) => `${before}\n${text}\n\n${after}`,
  );
}

/** The options of each command of the command line, without those that most commands have. */
function optionsList(): string {
  const own = Object.entries(commandOptions).map(([command, options]) => ({
    command,
    names: Object.keys(options).filter(
      (name) => !(name in commonOptions || name in serviceOptions || name === 'json'),
    ),
  }));
  return own
    .filter(({ names }) => names.length > 0)
    .map(
      ({ command, names }) => `- \`${command}\`: ${names.map((name) => `\`--${name}\``).join(' ')}`,
    )
    .join('\n');
}

/** The error codes, by what the client does. */
function codesList(): string {
  const byReaction = new Map<string, string[]>();
  for (const [code, [status]] of Object.entries(errorCodes)) {
    const reaction = clientReaction(status, code);
    byReaction.set(reaction, [...(byReaction.get(reaction) ?? []), `\`${code}\``]);
  }
  return Array.from(byReaction, ([reaction, codes]) => `- ${reaction}: ${codes.join(', ')}`).join(
    '\n',
  );
}

/** What the client does with a response: the same as for any other with this status and these traits. */
function clientReaction(status: number, code: string): string {
  const outcome = outcomeOf(verdictOf({ status, idempotentReplay: false }, { code, body: {} }));
  if (outcome === 'unknown') return 'retries with the same key only; `outcome` is `unknown`';
  if (isRetryable({ status, code, outcome }, 'once')) return 'retries';
  if (codeIs(code, 'conflict')) return 'fails; a `fallback` finds the model of the key';
  return codeIs(code, 'model') ? 'fails; a `fallback` follows' : 'fails';
}

/** The assumptions, each after the gap in the specification that it fills. */
function assumptionsList(): string {
  return assumptions
    .map(({ id, gap, assume, override }) => {
      const option = override === null ? '' : ` Option: \`${override}\`.`;
      return `- **${id}** ${gap}: ${assume}${option}`;
    })
    .join('\n');
}

if (import.meta.main) {
  for (const [path, text] of generatedFiles()) writeFileSync(new URL(path, root), text);
}
