import { unchecked } from '../schema.ts';
import type { OpenString } from '../schema.ts';

/**
 * The models of your API key, by type. Empty until `npx polygate types` writes a file that adds them, with their prices
 * as comments. From then on, only their ids compile as `model`, and an editor offers them.
 */
export interface ModelCatalog {}

/** A type of models in the {@link ModelCatalog}. Music and speech models are both `audio`. */
export type ModelType = 'chat' | 'image' | 'video' | 'audio';

declare const isCustom: unique symbol;

/** The id of a model that is not in the {@link ModelCatalog}; see {@link customModel}. */
export type CustomModel = string & { readonly [isCustom]: true };

/**
 * The id of a model of a type.
 *
 * - If the {@link ModelCatalog} has models of the type: one of their ids, or a {@link CustomModel}.
 * - While it has none: any string.
 */
export type ModelId<Type extends ModelType> =
  ModelCatalog extends Record<Type, infer Models> ? (keyof Models & string) | CustomModel : string;

/**
 * A resolution for models of a type.
 *
 * - If models of the type have prices per resolution in the {@link ModelCatalog}: an editor offers these resolutions, and
 *   any other string compiles, because the service ignores case.
 * - Otherwise: any string.
 */
export type ModelResolution<Type extends ModelType> =
  ModelCatalog extends Record<Type, infer Models>
    ? [Models[keyof Models]] extends [never]
      ? string
      : OpenString<Models[keyof Models] & string>
    : string;

/**
 * Returns the id of a model that is not in the {@link ModelCatalog}, such as one from a configuration file, or an image
 * model in a chat. The id is not checked.
 *
 * @example
 * ```ts
 * await gateway.images.generate({ model: customModel(settings.model), prompt: 'A harbor' });
 * ```
 */
export function customModel(id: string): CustomModel {
  return unchecked(id);
}
