import { estimate, priceOf } from './estimate.ts';
import type { KnownPrices } from './estimate.ts';

/** Estimates the price of one request in USD from the model's prices; undefined if they are unknown. */
export type PriceEstimator = (prices: KnownPrices) => number | undefined;

/** The fields of a request that determine its price. They may have any value in a body that was not checked. */
interface PricedFields {
  readonly model?: string | undefined;
  readonly size?: string | undefined;
  readonly resolution?: string | undefined;
  readonly n?: number | undefined;
  readonly num_images?: number | undefined;
  readonly duration?: number | undefined;
  readonly extra_body?: { readonly input_video_seconds?: number | undefined } | undefined;
  readonly text?: string | undefined;
  readonly input?: string | undefined;
  readonly preview_text?: string | undefined;
}

/** How a request is priced: a name in {@link requestPrice}. */
export type PricedAs = keyof typeof requestPrice;

/** Price estimators by kind of request. Each reads the fields when it is created, so later changes have no effect. */
export const requestPrice = {
  image: ({ size, resolution, num_images, n }: PricedFields): PriceEstimator => {
    // Only the service knows which price class applies to a size in pixels.
    const isClassKnown = resolution !== undefined || size === undefined;
    // A count of 0 is no order that costs nothing.
    const count = num_images || n || 1;
    return (prices) => (isClassKnown ? estimate.image(prices, { resolution, count }) : undefined);
  },

  video: ({ size, resolution = size, duration, extra_body }: PricedFields): PriceEstimator => {
    const seconds = duration || extra_body?.input_video_seconds || NaN;
    return (prices) => estimate.video(prices, { resolution, seconds });
  },

  music: (): PriceEstimator => (prices) => priceOf(prices, 1),

  speech:
    ({ text, input }: PricedFields): PriceEstimator =>
    (prices) =>
      estimate.speech(prices, text || input || ''),

  /** Music and speech share a route. */
  audio: (params: PricedFields): PriceEstimator =>
    'text' in params || 'input' in params ? requestPrice.speech(params) : requestPrice.music(),

  voiceClone: ({ text, preview_text }: PricedFields): PriceEstimator => {
    const usd = estimate.voiceClone({ previewText: text ?? preview_text ?? '' });
    return () => usd;
  },

  voiceDesign: ({ text, preview_text }: PricedFields): PriceEstimator => {
    const usd = estimate.voiceDesign({ previewText: preview_text ?? text ?? '' });
    return () => usd;
  },
};
