import type {
  AnthropicModelList,
  GeminiModelList,
  Model,
} from '../../wire/types/catalog/models.ts';

/** Creates the Anthropic-style model list. Assumption A17. */
export function anthropicList(models: readonly Model[]): AnthropicModelList {
  return {
    data: models.map((model) => ({
      type: 'model',
      id: model.id,
      display_name: displayName(model.id),
      created_at: new Date(model.created * 1000).toISOString(),
    })),
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
    has_more: false,
  };
}

/** Creates the Gemini-style model list. Assumption A17. */
export function geminiList(models: readonly Model[]): GeminiModelList {
  return {
    models: models.map(({ id }) => ({ name: `models/${id}`, displayName: displayName(id) })),
    nextPageToken: null,
  };
}

/** Turns `tide-video` into `Tide Video`. */
function displayName(id: string): string {
  const words = (id.split('/').at(-1) ?? id).split('-');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}
