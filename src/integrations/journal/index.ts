export { fileJournal } from './file-journal.ts';
export type { FileJournalOptions } from './file-journal.ts';
export type { Journal } from '../../wire/types/tasks/task-handle.ts';
