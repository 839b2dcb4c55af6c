import type { Account, KeyBalance, KnownPrices, Model, Polygate, Voice } from 'polygate';

import { listedPrice, resolutionPrices } from '../../internal.ts';
import { isNonEmptyString } from '../../wire/types/type-guards.ts';
import { exactUsd } from '../money.ts';
import { parseOptions, UsageError } from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { helpOf } from './help.ts';
import { CommandLog, runCommand } from './run-command.ts';
import type { AboutOptions } from './run-command.ts';
import { createGateway, resolveSettings } from './settings.ts';
import type { ServiceOptions } from './settings.ts';
import { columns, print, printJson, note } from './terminal.ts';
import { cleanRecord, cleanText, createCleaner, styleFor, wrap, alignUsd } from './text.ts';

const modelsHelp = () =>
  helpOf('models', {
    about: 'Lists the models of the API key, with their prices in USD.',
    usage: ['npx polygate models [options]'],
    examples: ['npx polygate models --type image'],
    notes: [
      'Prices have the units of gateway.models.list(): 1000 tokens, an image, a second of video, a character of speech, or a track of music. Each row names its unit.',
    ],
  });

/**
 * Runs a command that prints what the service responds, and returns its exit code. `printRecord` prints JSON without the
 * API key.
 */
function lookUp<Options extends ServiceOptions & AboutOptions>(
  command: string,
  help: () => string,
  parse: () => Options,
  show: (
    options: Options,
    service: {
      readonly gateway: Polygate;
      readonly clean: (text: string) => string;
      readonly printRecord: (record: object) => Promise<void>;
    },
  ) => Promise<void>,
): Promise<number> {
  const log = new CommandLog({ command, isPaid: false });
  return runCommand(log, help, async () => {
    const options = parse();
    if (options.help || options.version) return options;
    const settings = resolveSettings(options, process.env);
    const clean = createCleaner(settings.apiKey);
    log.note({ clean });
    const printRecord = (record: object) => printJson(cleanRecord(record, settings.apiKey));
    await show(options, { gateway: createGateway(settings), clean, printRecord });
    return 0;
  });
}

/** Runs the command, and returns its exit code. */
export function runModels(args: string[]): Promise<number> {
  const parse = () => parseOptions(args, commandOptions.models);
  return lookUp('polygate models', modelsHelp, parse, async (options, service) => {
    const { gateway, clean, printRecord } = service;
    const { data } = await gateway.models.list();
    const types = [...new Set(data.map(({ type }) => type))];
    const models = data.filter(({ type }) => options.type === undefined || type === options.type);
    if (models.length === 0 && options.type !== undefined) {
      throw new UsageError(`no model has the type ${options.type}; there are ${types.join(', ')}`);
    }
    if (options.json) await printRecord(models);
    else {
      const rows = [['ID', 'TYPE', 'PRICE'], ...models.map((model) => modelRow(model, clean))];
      await print(columns(rows, styleFor(process.stdout).width));
    }
  });
}

function modelRow({ id, type, pricing }: Model, clean: (text: string) => string): string[] {
  return [clean(id), clean(String(type)), priceText(pricing)];
}

/** The names of billing units, where they differ from what the service calls them. */
const unitNames: Readonly<Record<string, string>> = { audio: 'track' };

/** Describes the prices of a model, in the units of `gateway.models.list()`: `$0.02 per image (1K), $0.04 (2K)`. */
export function priceText(pricing: KnownPrices): string {
  const api = pricing?.profiles?.api;
  const unit = typeof api?.billingUnit === 'string' ? api.billingUnit : undefined;
  const input = listedPrice(pricing, 'inputPricePer1kUsd');
  const output = listedPrice(pricing, 'outputPricePer1kUsd');
  const parts = [];
  if (isPrice(input) || isPrice(output)) {
    parts.push(`${exactUsd(input ?? 0)} in, ${exactUsd(output ?? 0)} out per 1000 tokens`);
  }
  const listed = resolutionPrices(pricing);
  const resolutions = listed.flatMap(({ resolution, unitPriceUsd }) =>
    isPrice(unitPriceUsd) && typeof resolution === 'string'
      ? [{ usd: exactUsd(unitPriceUsd), name: cleanText(resolution) }]
      : [],
  );
  const price = listedPrice(pricing, 'unitPriceUsd');
  const [first, ...others] = resolutions;
  if (first !== undefined) {
    const rest = others.map(({ usd, name }) => `, ${usd} (${name})`).join('');
    parts.push(`${first.usd} per ${nameOf(unit)} (${first.name})${rest}`);
  } else if (isPrice(price)) {
    parts.push(`${exactUsd(price)} per ${unit === 'token' ? 'image' : nameOf(unit)}`);
  }
  return parts.join('; ') || (listed.length > 0 ? 'price not readable' : 'no price listed');
}

function nameOf(unit: string | undefined): string {
  return unit === undefined ? 'unit' : (unitNames[unit] ?? cleanText(unit));
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < Infinity;
}

const voicesHelp = () =>
  helpOf('voices', {
    about: 'Lists the voices for speech: system voices and your own, with a sample of each.',
    usage: ['npx polygate voices [options]'],
    examples: ['npx polygate voices -m echo-speech'],
    notes: ['The id of a voice is what --voice of polygate speech takes. Listing voices is free.'],
  });

/** Runs the command, and returns its exit code. */
export function runVoices(args: string[]): Promise<number> {
  const parse = () => parseOptions(args, commandOptions.voices);
  return lookUp('polygate voices', voicesHelp, parse, async (options, service) => {
    const { gateway, clean, printRecord } = service;
    const { data } = await gateway.voices.list({ model: options.model });
    const { width } = styleFor(process.stdout);
    if (options.json) await printRecord(data);
    else if (data.length === 0) note('The service lists no voices.');
    else await print(data.map((voice) => voiceText(voice, clean, width)).join('\n'));
  });
}

/** The voice in a few lines: its id, what it is like, and where its sample is. */
function voiceText(voice: Partial<Voice>, clean: (text: string) => string, width: number): string {
  const lines = aboutVoice(voice).map((line) => `  ${wrap(clean(line), 2, width)}`);
  return [clean(voice.voice_id ?? ''), ...lines].map((line) => `${line}\n`).join('');
}

/** What a voice is like, its models, and where its sample is. The service may leave out any of it. */
export function aboutVoice(voice: Partial<Voice>): string[] {
  const { display_name: name, language, description, source_type: type } = voice;
  const about = [
    [name, language].filter(isNonEmptyString).join(', '),
    description,
    type !== undefined && type !== 'system' ? 'your own' : undefined,
  ].filter(isNonEmptyString);
  const models = voice.compatible_models ?? [];
  return [
    ...(about.length > 0 ? [about.join('. ')] : []),
    ...(models.length > 0 ? [`Models: ${models.join(', ')}`] : []),
    ...(isNonEmptyString(voice.preview_audio_url) ? [`Sample: ${voice.preview_audio_url}`] : []),
  ];
}

const balanceHelp = () =>
  helpOf('balance', {
    about: 'Prints the balance of the account, the quota of the API key and the concurrency limit.',
    usage: ['npx polygate balance [options]'],
    examples: ['npx polygate balance --json'],
  });

/** Runs the command, and returns its exit code. */
export function runBalance(args: string[]): Promise<number> {
  const parse = () => parseOptions(args, commandOptions.balance);
  return lookUp('polygate balance', balanceHelp, parse, async (options, service) => {
    const { account } = service.gateway;
    const [owner, key] = await Promise.all([account.retrieve(), account.balance()]);
    const balance = balanceOf(owner, key);
    if (options.json) await service.printRecord(balance);
    else await print(columns(balanceRows(balance)));
  });
}

/** The balance as rows of a table. */
export function balanceRows({
  wallet,
  key,
  concurrency,
}: ReturnType<typeof balanceOf>): string[][] {
  const unknown = 'not reported';
  const [balance = unknown, remaining = unknown, used] = alignUsd([
    wallet.usd,
    key.remainingUsd,
    key.usedUsd,
  ]);
  return [
    ['Wallet', balance],
    ['Key quota', key.unlimited ? 'unlimited' : remaining],
    ...(used === undefined ? [] : [['Key used', used]]),
    ['Concurrency', `${concurrency.limit ?? unknown} parallel requests`],
  ];
}

/** The service may leave out any part of the records, whatever the types say. */
type Sent<Type> = { [Key in keyof Type]?: Type[Key] extends object ? Sent<Type[Key]> : Type[Key] };

/** Summarizes the account, if it is given, and the balance of the API key. What the service does not send is undefined. */
export function balanceOf(
  { balance, concurrency }: Sent<Account> = {},
  { data }: Sent<KeyBalance>,
) {
  const { token } = data ?? {};
  const unitsPerUsd = data?.balance?.quota_per_unit;
  const usd = (units: number | undefined) =>
    units !== undefined && unitsPerUsd ? units / unitsPerUsd : undefined;
  return {
    wallet: { usd: balance?.usd },
    key: {
      unlimited: token?.unlimited_quota === true,
      remainingUsd: token?.unlimited_quota === true ? undefined : usd(token?.remain_quota),
      usedUsd: usd(token?.used_quota),
    },
    concurrency: { limit: concurrency?.limit },
  };
}
