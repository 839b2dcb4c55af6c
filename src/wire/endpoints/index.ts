import {
  retrieveAccount,
  retrieveBalance,
  retrieveReadiness,
  listModels,
  retrieveModel,
  createChatCompletion,
  listErrors,
  retrieveCapabilities,
  retrieveChangelog,
  retrieveError,
  retrieveOpenapi,
  retrievePricing,
  retrieveRateLimits,
  retrieveStatus,
} from './catalog.ts';
import type { Endpoint } from './endpoint.ts';
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
