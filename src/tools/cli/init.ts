import { resolve } from 'node:path';

import { ConnectionError, RequestTimeoutError } from 'polygate';
import { diagnose } from 'polygate/doctor';
import type { Diagnosis } from 'polygate/doctor';

import { parseOptions, UsageError } from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { helpOf } from './help.ts';
import { EarlyEnd, CommandLog, runCommand } from './run-command.ts';
import { createGateway, configPath, writeConfigFile } from './settings.ts';
import type { Settings } from './settings.ts';
import { ask, note, printJson, ProgressLine } from './terminal.ts';
import { createCleaner, shellWord } from './text.ts';

const help = () =>
  helpOf('init', {
    about: 'Stores base URL and API key in a configuration file, which the other commands read.',
    usage: ['npx polygate init [options]'],
    examples: ['npx polygate init --base-url http://localhost:8787'],
    notes: [
      'Asks for what is missing and again for a wrong key, checks that the service accepts the key, which costs nothing, and writes $XDG_CONFIG_HOME/polygate/config.json (by default in ~/.config), which only you can read. Environment variables and options take precedence over the file. Programs that use the client never read it: the command prints two lines that export the same values to them.',
    ],
  });

/** How long the checks may take, in ms. */
const checkTimeoutMs = 60_000;

/** How long the first response of a service may take, in ms. */
const urlTimeoutMs = 10_000;

/** Runs the command, and returns its exit code. */
export function runInit(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate init', isPaid: false });
  return runCommand(log, help, async () => {
    const options = parseOptions(args, commandOptions.init);
    if (options.help || options.version) return options;
    const { 'base-url': url, 'api-key': key } = commandOptions.init;
    const given = [
      options['base-url'] ?? process.env[url.env],
      options['api-key'] ?? process.env[key.env],
    ];
    if (!process.stdin.isTTY && given.some((value) => !value)) {
      throw new UsageError('without a terminal, --base-url and --api-key are required');
    }
    const baseURL = (given[0] || (await ask('Base URL: ', { isHidden: false }))).trim();
    if (!given[1] && baseURL) await checkURL(baseURL);
    const firstKey = (given[1] || (await askKey())).trim();
    if (!baseURL || !firstKey) throw new UsageError('base URL and API key are required');
    const { apiKey, diagnosis, problem } = await findKey(baseURL, firstKey);
    const path = configPath(process.env);
    const failed = failedChecks(diagnosis);
    if (problem === undefined) writeConfigFile(path, { baseURL, apiKey });
    if (options.json) {
      const clean = createCleaner(apiKey);
      await printJson({
        path: problem === undefined ? path : null,
        ok: diagnosis.ok,
        failed: failed.map(({ id, detail }) => ({ id, detail: clean(detail) })),
      });
    } else if (problem === undefined) {
      note(`Wrote ${path}. Try: npx polygate balance`);
      if (failed.length > 0) note('To see all checks, run npx polygate doctor.');
      note(exportAdvice({ baseURL, apiKey }, path));
    } else {
      note(`Nothing was written, because ${problem}.`);
    }
    return problem === undefined ? 0 : 1;
  });
}

/** Checks a base URL before a key is typed. Any response shows that it leads to a server. */
async function checkURL(baseURL: string): Promise<void> {
  const gateway = createGateway({ baseURL, apiKey: 'none' });
  const options = { maxRetries: 1, totalTimeout: urlTimeoutMs };
  await gateway.public.status({}, options).catch((error: unknown) => {
    if (ConnectionError.is(error) || RequestTimeoutError.is(error)) throw error;
  });
}

const askKey = (): Promise<string> => ask('API key (not shown): ', { isHidden: true });

/**
 * Checks a key, and prints what failed. In a terminal, a wrong key is asked for again until nothing is typed. Returns the last
 * one, and why it cannot be used; undefined if it can.
 */
async function findKey(
  baseURL: string,
  apiKey: string,
): Promise<{ apiKey: string; diagnosis: Diagnosis; problem: string | undefined }> {
  const diagnosis = await check(baseURL, apiKey);
  const clean = createCleaner(apiKey);
  for (const { title, detail } of failedChecks(diagnosis)) note(clean(`${title}: ${detail}`));
  const problem = keyProblem(diagnosis);
  const checked = { apiKey, diagnosis, problem };
  if (problem !== wrongKey || !process.stdin.isTTY) return checked;
  const other = (await askKey()).trim();
  return other === '' ? checked : findKey(baseURL, other);
}

const failedChecks = ({ checks }: Diagnosis) => checks.filter(({ status }) => status === 'failed');

const wrongKey = 'the service did not accept the API key';

/** Why a key cannot be used; undefined if the service has accepted it. */
function keyProblem({ checks }: Diagnosis): string | undefined {
  const find = (id: string) => checks.find((found) => found.id === id);
  const { status, advice } = find('authentication') ?? {};
  if (status === 'ok' || status === 'warning') return undefined;
  if (find('reachable')?.status === 'failed') return 'the service was not reached';
  // There is advice only about the key itself.
  const isWrong = status === 'failed' && advice !== undefined;
  return isWrong ? wrongKey : 'the API key could not be checked';
}

/** How programs get what the file contains. The key is not printed. */
function exportAdvice({ baseURL, apiKey }: Pick<Settings, 'baseURL' | 'apiKey'>, path: string) {
  const read = `require(${JSON.stringify(resolve(path))}).apiKey`;
  return [
    'Programs read the environment, and not this file. To run them in this shell:',
    `  export POLYGATE_BASE_URL=${shellWord(baseURL)}`,
    // A substitution can begin on the next line, so that the line fits most terminals.
    `  export POLYGATE_API_KEY="$(\n    node -p ${shellWord(read)})"`,
    ...Object.entries({ POLYGATE_BASE_URL: baseURL, POLYGATE_API_KEY: apiKey })
      .filter(([name, value]) => (process.env[name]?.trim() || value) !== value)
      .map(([name]) => `Until then, ${name} has another value, which commands use, too.`),
  ].join('\n');
}

/** Runs the doctor's free checks. */
async function check(baseURL: string, apiKey: string): Promise<Diagnosis> {
  const gateway = createGateway({ baseURL, apiKey });
  let running = 'Checking the service';
  const line = new ProgressLine(() => running);
  const end = new EarlyEnd(checkTimeoutMs);
  try {
    return await diagnose({
      gateway,
      signal: end.signal,
      onStart: ({ title }) => (running = `Checking: ${title}`),
    });
  } finally {
    end.dispose();
    line.stop();
  }
}
