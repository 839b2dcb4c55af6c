import type { Model } from 'polygate';
import { useState } from 'preact/hooks';

import { modelsFor } from '../../state/account.ts';
import type { Purpose } from '../../state/account.ts';

/** State of a model selection: the selected model, or the first one for the purpose. */
export function useModel(purpose: Purpose): [Model | undefined, (id: string) => void] {
  const [id, setId] = useState('');
  const models = modelsFor(purpose);
  return [models.find((model) => model.id === id) ?? models[0], setId];
}
