import type { KnownPrices, Model } from 'polygate';

import { listedPrice, resolutionPrices } from '../../internal.ts';
import { exactUsd } from '../money.ts';
import { parseOptions, UsageError } from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { createGateway } from './gateway.ts';
import { helpOf } from './help.ts';
import { CommandLog, runCommand } from './run-command.ts';
import { resolveSettings } from './settings.ts';
import { columns, print, printJson } from './terminal.ts';
import { cleanRecord, cleanText, createCleaner } from './text.ts';

const help = () =>
  helpOf('models', {
    about: 'Lists the models of the API key, with their prices in USD.',
    usage: ['npx polygate models [options]'],
    examples: ['npx polygate models --type image'],
    notes: [
      'Prices have the units of gateway.models.list(): 1000 tokens, an image, a second of video, a character of speech, or a track of music. Each row names its unit.',
    ],
  });

/** Runs the command, and returns its exit code. */
export function runModels(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate models', isPaid: false });
  return runCommand(log, help, async () => {
    const options = parseOptions(args, commandOptions.models);
    if (options.help || options.version) return options;
    const settings = resolveSettings(options, process.env);
    const clean = createCleaner(settings.apiKey);
    log.note({ clean });
    const gateway = createGateway(settings);
    const { data } = await gateway.models.list();
    const types = [...new Set(data.map(({ type }) => type))];
    const models = data.filter(({ type }) => options.type === undefined || type === options.type);
    if (models.length === 0 && options.type !== undefined) {
      throw new UsageError(`no model has the type ${options.type}; there are ${types.join(', ')}`);
    }
    if (options.json) await printJson(cleanRecord(models, settings.apiKey));
    else
      await print(
        columns([['ID', 'TYPE', 'PRICE'], ...models.map((model) => modelRow(model, clean))]),
      );
    return 0;
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
