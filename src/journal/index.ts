export { fileJournal } from './file-journal.ts';
export type { FileJournalOptions } from './file-journal.ts';
export type { Journal } from '../schemas/journal.ts';
