import { useState } from 'preact/hooks';
import type { Model } from 'polygate';

import { modelsFor } from '../../state/account.ts';
import type { Purpose } from '../../state/account.ts';

/** The chosen model of a purpose, or the first one. */
export function useModel(purpose: Purpose): [Model | undefined, (id: string) => void] {
  const [id, choose] = useState('');
  const models = modelsFor(purpose);
  return [models.find((model) => model.id === id) ?? models[0], choose];
}
