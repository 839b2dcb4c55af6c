export * from './tasks/task.ts';
