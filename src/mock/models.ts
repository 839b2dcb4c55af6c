import type { Model } from '../wire/types/catalog/models.ts';
import type { ModelType, Prices, ResolutionPrice } from '../wire/types/catalog/pricing.ts';
import { formatUsd, roundUsd } from './account/money.ts';
import { invalidParameter, GatewayError } from './http/response.ts';

/** The models of the gateway. */
export class ModelCatalog {
  readonly models: readonly Model[];
  readonly #byId: ReadonlyMap<string, Model>;

  constructor(models: readonly Model[] | undefined) {
    this.models = models ?? defaultModels.map(toModelRecord);
    this.#byId = new Map(this.models.map((model) => [model.id, model]));
  }

  find(id: string): Model | undefined {
    return this.#byId.get(id);
  }

  /** Returns the named model, or throws a 400 if it does not exist or has another type. */
  getOfType(id: string, type: ModelType): Model {
    const model = this.#byId.get(id);
    if (model === undefined) {
      const message = `\`model\` is invalid: the service has no model ${id}`;
      throw new GatewayError(400, 'model_not_found', message);
    }
    if (model.type !== type) {
      throw invalidParameter(
        `\`model\` must be a model of type ${type}; ${id} is of type ${model.type}`,
      );
    }
    return model;
  }

  /** Whether a model generates speech. All other audio models generate music. */
  isSpeechModel(model: Model): boolean {
    const unit = model.pricing?.profiles?.api?.billingUnit;
    return model.type === 'audio' && (unit === 'character' || /speech|tts|voice/i.test(model.id));
  }
}

/** The default catalog. The names are fictional; the prices are small, round numbers. */
export const defaultModels: readonly ModelDefinition[] = [
  {
    id: 'aurora-chat',
    owner: 'aurora',
    type: 'chat',
    unit: 'token',
    description: 'A chat model for everyday tasks',
    tokenPrices: [0.0005, 0.0015],
    typicalUnits: 1000,
  },
  {
    id: 'aurora-reasoner',
    owner: 'aurora',
    type: 'chat',
    unit: 'token',
    description: 'A chat model that reasons before it responds',
    tokenPrices: [0.001, 0.004],
    typicalUnits: 1000,
  },
  {
    id: 'lumen/vision-chat',
    owner: 'lumen',
    type: 'chat',
    unit: 'token',
    description: 'A chat model with image input and output',
    tokenPrices: [0.0008, 0.002],
    unitPrice: 0.02,
    typicalUnits: 1000,
  },
  {
    id: 'prism-image',
    owner: 'prism',
    type: 'image',
    unit: 'image',
    description: 'Images from text prompts, up to 4K',
    unitPrice: 0.02,
    resolutionPrices: { '1K': 0.02, '2K': 0.04, '4K': 0.08 },
    typicalUnits: 1,
  },
  {
    id: 'prism-sketch',
    owner: 'prism',
    type: 'image',
    unit: 'image',
    description: 'Quick sketches at a low price',
    unitPrice: 0.005,
    resolutionPrices: { '1K': 0.005, '2K': 0.01 },
    typicalUnits: 1,
  },
  {
    id: 'tide-video',
    owner: 'tide',
    type: 'video',
    unit: 'second',
    description: 'Short videos from text, images or video',
    unitPrice: 0.02,
    resolutionPrices: { '720p': 0.02, '1080p': 0.04 },
    typicalUnits: 5,
  },
  {
    id: 'echo-speech',
    owner: 'echo',
    type: 'audio',
    unit: 'character',
    description: 'Speech in many voices',
    unitPrice: 0.00003,
    typicalUnits: 100,
  },
  {
    id: 'echo-speech-hd',
    owner: 'echo',
    type: 'audio',
    unit: 'character',
    description: 'Speech in studio quality, in fewer voices',
    unitPrice: 0.00006,
    typicalUnits: 100,
  },
  {
    id: 'anthem-music',
    owner: 'anthem',
    type: 'audio',
    unit: 'audio',
    description: 'Songs and instrumentals',
    unitPrice: 0.03,
    typicalUnits: 1,
  },
];

/** The properties of a model from which its full record is created. */
interface ModelDefinition {
  id: string;
  owner: string;
  type: ModelType;
  /** The unit in which it is billed; `audio` is one music output. */
  unit: 'token' | keyof typeof unitNames;
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
