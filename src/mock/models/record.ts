import type { Model } from '../../wire/types/catalog/models.ts';
import type { Prices, ResolutionPrice } from '../../wire/types/catalog/pricing.ts';
import { formatUsd, roundUsd } from '../account/money.ts';

/** The unit in which a model is billed; `audio` is one music output. */
export type BillingUnit = 'token' | 'image' | 'second' | 'character' | 'audio';

/** The properties of a model from which its full record is created. */
export interface ModelDefinition {
  id: string;
  owner: string;
  type: 'chat' | 'image' | 'video' | 'audio';
  unit: BillingUnit;
  description: string;
  /** Price per unit in USD. For chat, the price per image. @defaultValue 0 */
  unitPrice?: number;
  /** Prices per 1000 input and output tokens in USD. */
  tokenPrices?: readonly [input: number, output: number];
  /** Prices per unit in USD, by resolution. */
  resolutionPrices?: Readonly<Record<string, number>>;
  /** Units in a typical request, used to compute the estimated charge. */
  typicalUnits: number;
}

/** Creation time of all models, in Unix seconds. */
const created = Date.parse('2026-01-01T00:00:00Z') / 1000;

/** Creates the full model record. */
export function toModelRecord(definition: ModelDefinition): Model {
  const { id, unit } = definition;
  const prices = pricesOf(definition);
  const ruleId = `rule_${id.replaceAll(/[^a-z0-9]+/g, '_')}`;
  const text = priceText(definition, prices);
  return {
    id,
    object: 'model',
    created,
    owned_by: definition.owner,
    type: definition.type,
    description: definition.description,
    pricing: {
      ...prices,
      priceContext: 'api',
      profiles: {
        api: {
          ...prices,
          estimatedChargeUsd: estimate(definition, prices),
          billingUnit: unit,
          priceContext: 'api',
          pricingRuleId: ruleId,
          source: 'catalog',
          text,
        },
      },
      source: 'catalog',
      text,
      unitText: unit === 'token' ? 'per 1K tokens' : `per ${unitNames[unit]}`,
      ruleId,
    },
  };
}

const unitNames = {
  image: 'image',
  second: 'second of video',
  character: 'character',
  audio: 'music output',
};

function pricesOf(definition: ModelDefinition): Prices {
  const [inputPricePer1kUsd, outputPricePer1kUsd] = definition.tokenPrices ?? [0, 0];
  const resolutionPrices = Object.entries(definition.resolutionPrices ?? {}).map(resolutionPrice);
  return {
    unitPriceUsd: definition.unitPrice ?? 0,
    inputPricePer1kUsd,
    outputPricePer1kUsd,
    resolutionPrices,
  };
}

function resolutionPrice([resolution, unitPriceUsd]: [string, number]): ResolutionPrice {
  return {
    resolution,
    unitPriceUsd,
    upstreamCostUsd: roundUsd(unitPriceUsd * 0.7),
    suggestedRetailUsd: roundUsd(unitPriceUsd * 1.5),
    enabled: true,
  };
}

function estimate(definition: ModelDefinition, prices: Prices): number {
  const { unitPriceUsd, inputPricePer1kUsd: input, outputPricePer1kUsd: output } = prices;
  if (definition.unit === 'token') {
    return roundUsd(((input + output) * definition.typicalUnits) / 1000);
  }
  return roundUsd(unitPriceUsd * definition.typicalUnits);
}

function priceText(definition: ModelDefinition, prices: Prices): string {
  const { unit } = definition;
  if (unit !== 'token') return `$${formatUsd(prices.unitPriceUsd)} per ${unitNames[unit]}`;
  const input = formatUsd(prices.inputPricePer1kUsd);
  return `$${input} in, $${formatUsd(prices.outputPricePer1kUsd)} out per 1K tokens`;
}
