/** What the messages of errors advise programs to do, for texts that people read instead. */
import { noJournalAdvice } from '../core/batch/pool/end-errors.ts';
import { continueTaskAdvice, sameKeyAdvice } from '../core/call/failure/error-message.ts';
import { failedTaskAdvice } from '../core/tasks/failed-task.ts';

export { doctorAdvice, nothingCharged } from '../core/call/failure/error-message.ts';

/** The advice about a task, with any id. */
const aboutTask = new RegExp(
  ` ${escapeRegExp(continueTaskAdvice('{id}')).replace('\\{id\\}', String.raw`\S+`)}`,
  'g',
);

/** Leaves out of a message what only a program can do. */
export function withoutProgramAdvice(message: string): string {
  return [`; ${sameKeyAdvice}`, `; ${noJournalAdvice}`, ` ${failedTaskAdvice}`]
    .reduce((text, advice) => text.replaceAll(advice, ''), message)
    .replaceAll(aboutTask, '');
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
