import type { Model } from '../../wire/types/catalog/models.ts';
import { invalidParameter, GatewayError } from '../http/response/gateway-error.ts';
import { defaultModels } from './defaults.ts';
import { toModelRecord } from './record.ts';

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
  getOfType(id: string, type: 'chat' | 'image' | 'video' | 'audio'): Model {
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
