export { saveTo } from './save-to.ts';
export type { SavedFile, SaveToOptions } from './save-to.ts';
