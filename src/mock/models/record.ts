import type { Model } from '../../schemas/models.ts';
import type { Prices, ResolutionPrice } from '../../schemas/pricing.ts';
import { dollars, usd } from '../account/money.ts';

/** What a unit of a bill is. */
export type BillingUnit = 'token' | 'image' | 'second' | 'character' | 'audio';

/** What sets one model of the catalogue apart from another. */
export interface ModelDefinition {
  id: string;
  owner: string;
  type: 'chat' | 'image' | 'video' | 'audio';
  unit: BillingUnit;
  description: string;
  /** USD for a unit; for chat, 0. */
  unitPrice?: number;
  /** USD for 1000 tokens of input and of output. */
  tokenPrices?: readonly [input: number, output: number];
  /** USD for a unit by resolution. */
  resolutionPrices?: Readonly<Record<string, number>>;
  /** Units that an ordinary request takes. */
  typicalUnits: number;
}

/** A full record from a sketch. */
export function toModelRecord(sketch: ModelDefinition): Model {
  const { id, unit } = sketch;
  const prices = pricesOf(sketch);
  const ruleId = `rule_${id.replaceAll(/[^a-z0-9]+/g, '_')}`;
  const text = priceText(sketch, prices);
  return {
    id,
    object: 'model',
    created: 1_767_225_600,
    owned_by: sketch.owner,
    type: sketch.type,
    description: sketch.description,
    pricing: {
      ...prices,
      priceContext: 'api',
      profiles: {
        api: {
          ...prices,
          estimatedChargeUsd: estimate(sketch, prices),
          billingUnit: unit,
          priceContext: 'api',
          pricingRuleId: ruleId,
          source: 'catalogue',
          text,
        },
      },
      source: 'catalogue',
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
  audio: 'piece of music',
};

function pricesOf(sketch: ModelDefinition): Prices {
  const [inputPricePer1kUsd, outputPricePer1kUsd] = sketch.tokenPrices ?? [0, 0];
  const resolutionPrices = Object.entries(sketch.resolutionPrices ?? {}).map(resolutionPrice);
  return {
    unitPriceUsd: sketch.unitPrice ?? 0,
    inputPricePer1kUsd,
    outputPricePer1kUsd,
    resolutionPrices,
  };
}

function resolutionPrice([resolution, unitPriceUsd]: [string, number]): ResolutionPrice {
  return {
    resolution,
    unitPriceUsd,
    upstreamCostUsd: usd(unitPriceUsd * 0.7),
    suggestedRetailUsd: usd(unitPriceUsd * 1.5),
    enabled: true,
  };
}

function estimate(sketch: ModelDefinition, prices: Prices): number {
  const { unitPriceUsd, inputPricePer1kUsd: input, outputPricePer1kUsd: output } = prices;
  if (sketch.unit === 'token') return usd(((input + output) * sketch.typicalUnits) / 1000);
  return usd(unitPriceUsd * sketch.typicalUnits);
}

function priceText(sketch: ModelDefinition, prices: Prices): string {
  const { unit } = sketch;
  if (unit !== 'token') return `$${dollars(prices.unitPriceUsd)} per ${unitNames[unit]}`;
  const input = dollars(prices.inputPricePer1kUsd);
  return `$${input} in, $${dollars(prices.outputPricePer1kUsd)} out per 1K tokens`;
}
