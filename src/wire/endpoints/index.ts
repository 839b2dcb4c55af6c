import {
  retrieveAccount,
  retrieveBalance,
  retrieveReadiness,
  listErrors,
  retrieveCapabilities,
  retrieveChangelog,
  retrieveError,
  retrieveOpenapi,
  retrievePricing,
  retrieveRateLimits,
  retrieveStatus,
} from './catalog.ts';
import { listModels, retrieveModel, createChatCompletion } from './chat.ts';
import type { Endpoint, Safety, SubmitEndpoint } from './endpoint.ts';
import {
  createMaterial,
  deleteMaterial,
  listMaterials,
  retrieveMaterial,
  pollAudioTask,
  submitAudioTask,
  pollImageGeneration,
  pollImageTask,
  submitImageGeneration,
  submitImageTask,
  pollVideo,
  pollVideoGeneration,
  pollVideosGeneration,
  submitVideo,
  submitVideoGeneration,
  submitVideosGeneration,
  cloneVoice,
  designVoice,
  listVoices,
} from './media.ts';

/** All endpoints that the client uses. */
export const endpoints = [
  retrieveStatus,
  retrieveCapabilities,
  listErrors,
  retrieveError,
  retrieveChangelog,
  retrievePricing,
  retrieveRateLimits,
  retrieveOpenapi,
  listModels,
  retrieveModel,
  createChatCompletion,
  submitImageTask,
  submitImageGeneration,
  pollImageTask,
  pollImageGeneration,
  submitVideo,
  submitVideoGeneration,
  submitVideosGeneration,
  pollVideo,
  pollVideoGeneration,
  pollVideosGeneration,
  submitAudioTask,
  pollAudioTask,
  listVoices,
  cloneVoice,
  designVoice,
  createMaterial,
  listMaterials,
  retrieveMaterial,
  deleteMaterial,
  retrieveAccount,
  retrieveReadiness,
  retrieveBalance,
] as const satisfies readonly Endpoint[];

/** Finds the endpoint of a request. Its path may contain ids, or the placeholders of a template. */
export function findEndpoint(method: string, path: string): Endpoint | undefined {
  return endpoints.find((endpoint) => endpoint.method === method && matches(endpoint, path));
}

function matches(endpoint: Endpoint, path: string): boolean {
  const [start = '', name] = endpoint.path.split(/[{}]/);
  if (name === undefined) return path === start;
  const id = path.slice(start.length);
  // Only ids of models contain slashes.
  return path.startsWith(start) && id !== '' && (name === 'model' || !id.includes('/'));
}

/**
 * The safety of a request whose endpoint is not known, and whether it may cost money: what its method means, and whether the
 * caller has declared that it can be repeated.
 */
export function unknownRequest(
  method: string,
  isIdempotent?: boolean,
): { readonly safety: Safety; readonly paid: boolean } {
  const paid = isPaidMethod(method);
  if (!(isIdempotent ?? !paid)) return { safety: 'once', paid };
  return { safety: paid ? 'keyed' : 'safe', paid };
}

/**
 * Whether a request whose endpoint is not known may cost money: unless its method can be repeated, by the HTTP standard.
 */
export const isPaidMethod = (method: string): boolean =>
  !/^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method);

export function isSubmit(endpoint: Endpoint | undefined): endpoint is SubmitEndpoint {
  return endpoint?.kind !== undefined;
}
