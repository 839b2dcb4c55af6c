import { diagnose } from 'polygate/doctor';
import type { Diagnosis } from 'polygate/doctor';

import { parseOptions, UsageError } from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { EarlyEnd } from './early-end.ts';
import { createGateway } from './gateway.ts';
import { helpOf } from './help.ts';
import { CommandLog, runCommand } from './run-command.ts';
import { configPath, writeConfigFile } from './settings.ts';
import { ask, note, printJson, ProgressLine } from './terminal.ts';
import { createCleaner } from './text.ts';

const help = () =>
  helpOf('init', {
    about: 'Stores base URL and API key in a configuration file, which the other commands read.',
    usage: ['npx polygate init [options]'],
    examples: ['npx polygate init --base-url http://localhost:8787'],
    notes: [
      'Asks for what is missing, checks that the service accepts the key, which costs nothing, and writes $XDG_CONFIG_HOME/polygate/config.json (by default in ~/.config), which only you can read. Environment variables and options take precedence over the file. Programs that use the client never read it.',
    ],
  });

/** How long the checks may take, in ms. */
const checkTimeoutMs = 60_000;

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
    const baseURL = given[0] || (await ask('Base URL: ', { isHidden: false }));
    const apiKey = given[1] || (await ask('API key (not shown): ', { isHidden: true }));
    if (!baseURL.trim() || !apiKey.trim())
      throw new UsageError('base URL and API key are required');
    const diagnosis = await check(baseURL, apiKey.trim());
    const path = configPath(process.env);
    const clean = createCleaner(apiKey);
    const problems = diagnosis.checks.filter(({ status }) => status === 'failed');
    for (const { title, detail } of problems) note(clean(`${title}: ${detail}`));
    const isAccepted = diagnosis.checks.some(
      ({ id, status }) => id === 'authentication' && (status === 'ok' || status === 'warning'),
    );
    if (isAccepted) writeConfigFile(path, { baseURL: baseURL.trim(), apiKey: apiKey.trim() });
    if (options.json) {
      const failed = problems.map(({ id, detail }) => ({ id, detail: clean(detail) }));
      await printJson({ path: isAccepted ? path : null, ok: diagnosis.ok, failed });
    } else if (isAccepted) {
      note(`Wrote ${path}. Try: npx polygate balance`);
      if (problems.length > 0) note('To see all checks, run npx polygate doctor.');
    } else {
      note('Nothing was written, because the service did not accept the API key.');
    }
    return isAccepted ? 0 : 1;
  });
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
