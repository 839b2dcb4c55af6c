export { fileStore } from './file-store.ts';
export type { FileStore } from './file-store.ts';
export { nodeFetch } from './fetch/node-fetch.ts';
export type { NodeFetch } from './fetch/node-fetch.ts';
export type { NodeFetchDispatcher, NodeFetchOptions } from './fetch/dispatcher.ts';
export { saveTo } from './save-to.ts';
export type { SavedFile, SaveToOptions } from './save-to.ts';
export { toNodeHandler } from './to-node-handler.ts';
export type { NodeHandler, WebHandler } from './to-node-handler.ts';
