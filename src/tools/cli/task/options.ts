import { serviceHelp } from '../command-options.ts';

export const help = `Lists, looks up or waits for tasks that were submitted.

Usage: npx polygate task list
       npx polygate task get <id>
       npx polygate task wait <id | key | file> [-o <file>]

Example:
  npx polygate task list

list shows the tasks that polygate image, video, music and speech have submitted on this machine. get polls a task once.
wait waits for a task and saves its results. It takes a task id, the idempotency key of a request or a file with a receipt.
For a key without a receipt, it sends the request again with that key, which is not charged a second time.

Options:
  -o, --output <file>
                    name of the file; {id} is the task id, {n} the number of the result, {ext} the extension of its
                    media type (default: that of the command that submitted the task, or {id}.{ext})
  --kind <kind>     what a task generates that was not submitted on this machine: image, video, music or speech
  --force           replace existing files
  --json            print JSON: one array for list, one object for get and wait
${serviceHelp}
Exit codes:
  0    done
  1    the service rejected the request, or the task failed
  2    an option or a file is invalid, or the task is unknown; nothing was sent
  3    the task may have been charged, and its result is not saved yet; the last line says how to continue
  130  interrupted with Ctrl-C; 141 the output pipe was closed; 143 SIGTERM
`;
