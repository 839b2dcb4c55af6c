import type { Model } from '../../schemas/models.ts';
import { defaultModels } from './defaults.ts';
import { toModelRecord } from './record.ts';
import { invalidParameter, GatewayError } from '../http/response/gateway-error.ts';

/** The models that may be used. */
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

  /**
   * The model of a request, which has to be of the right type. Specification: an invalid request is
   * 400.
   */
  getOfType(id: string, type: 'chat' | 'image' | 'video' | 'audio'): Model {
    const model = this.#byId.get(id);
    if (model === undefined) {
      throw new GatewayError(
        400,
        'model_not_found',
        `\`model\` names no model of this service: ${id}`,
      );
    }
    if (model.type !== type) {
      throw invalidParameter(
        `\`model\` must be a model of type ${type}; ${id} is of type ${model.type}`,
      );
    }
    return model;
  }

  /** Whether an audio model speaks; the others make music. */
  isSpeechModel(model: Model): boolean {
    const unit = model.pricing?.profiles?.api?.billingUnit;
    return model.type === 'audio' && (unit === 'character' || /speech|tts|voice/i.test(model.id));
  }
}
