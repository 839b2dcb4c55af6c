import type { Endpoint } from './endpoint.ts';

export const submitImageTask = {
  method: 'POST',
  path: '/v1/images/tasks',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'image',
  price: 'image',
} as const satisfies Endpoint;

export const submitImageGeneration = {
  method: 'POST',
  path: '/v1/images/generations',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'image',
  price: 'image',
} as const satisfies Endpoint;

export const pollImageTask = {
  method: 'GET',
  path: '/v1/images/tasks/{id}',
  audience: 'user',
  safety: 'safe',
} as const satisfies Endpoint;

/** Assumption A2. */
export const pollImageGeneration = {
  method: 'GET',
  path: '/v1/images/generations/{id}',
  audience: 'user',
  safety: 'safe',
  isAssumed: true,
} as const satisfies Endpoint;

export const submitVideo = {
  method: 'POST',
  path: '/v1/videos',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'video',
  price: 'video',
} as const satisfies Endpoint;

export const submitVideoGeneration = {
  method: 'POST',
  path: '/v1/video/generations',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'video',
  price: 'video',
} as const satisfies Endpoint;

export const submitVideosGeneration = {
  method: 'POST',
  path: '/v1/videos/generations',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'video',
  price: 'video',
} as const satisfies Endpoint;

/** Assumption A1, like the other poll paths of videos. */
export const pollVideo = {
  method: 'GET',
  path: '/v1/videos/{id}',
  audience: 'user',
  safety: 'safe',
  isAssumed: true,
} as const satisfies Endpoint;

export const pollVideoGeneration = {
  method: 'GET',
  path: '/v1/video/generations/{id}',
  audience: 'user',
  safety: 'safe',
  isAssumed: true,
} as const satisfies Endpoint;

export const pollVideosGeneration = {
  method: 'GET',
  path: '/v1/videos/generations/{id}',
  audience: 'user',
  safety: 'safe',
  isAssumed: true,
} as const satisfies Endpoint;

/** Music and speech. */
export const submitAudioTask = {
  method: 'POST',
  path: '/v1/audio/tasks',
  audience: 'user',
  safety: 'keyed',
  paid: true,
  usesSlot: true,
  kind: 'audio',
  price: 'audio',
} as const satisfies Endpoint;

export const pollAudioTask = {
  method: 'GET',
  path: '/v1/audio/tasks/{id}',
  audience: 'user',
  safety: 'safe',
} as const satisfies Endpoint;

export const listVoices = {
  method: 'GET',
  path: '/v1/audio/voices',
  audience: 'user',
  safety: 'safe',
  isList: true,
  query: ['model'],
} as const satisfies Endpoint;

export const cloneVoice = {
  method: 'POST',
  path: '/v1/audio/voices/clone',
  audience: 'user',
  safety: 'once',
  keyedIf: 'voices',
  paid: true,
  usesSlot: true,
  sendsKey: true,
  hasModel: false,
  price: 'voiceClone',
  resource: 'voice',
} as const satisfies Endpoint;

export const designVoice = {
  method: 'POST',
  path: '/v1/audio/voices/design',
  audience: 'user',
  safety: 'once',
  keyedIf: 'voices',
  paid: true,
  usesSlot: true,
  sendsKey: true,
  hasModel: false,
  price: 'voiceDesign',
  resource: 'voice',
} as const satisfies Endpoint;

export const createMaterial = {
  method: 'POST',
  path: '/v1/materials',
  audience: 'user',
  safety: 'keyed',
  idempotencyHeader: 'idempotency-key',
  resource: 'material',
  hasModel: false,
} as const satisfies Endpoint;

/** Lists the materials of all users of an app. */
export const listMaterials = {
  method: 'GET',
  path: '/v1/materials',
  audience: 'owner',
  safety: 'safe',
  isList: true,
  query: ['type', 'status', 'limit', 'after'],
} as const satisfies Endpoint;

export const retrieveMaterial = {
  method: 'GET',
  path: '/v1/materials/{material_id}',
  audience: 'user',
  safety: 'safe',
  resource: 'material',
} as const satisfies Endpoint;

export const deleteMaterial = {
  method: 'DELETE',
  path: '/v1/materials/{material_id}',
  audience: 'user',
  safety: 'safe',
} as const satisfies Endpoint;
