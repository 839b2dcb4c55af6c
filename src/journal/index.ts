export { fileJournal } from './file-journal.ts';
export type { FileJournalOptions } from './file-journal.ts';
export type { Journal } from '../types/tasks/journal.ts';
