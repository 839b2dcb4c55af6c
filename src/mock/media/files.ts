import { fileEndings } from '../tasks/task-record.ts';
import type { Task } from '../account/state.ts';
import { sampleVideo } from './sample-video.ts';
import { promptSvg } from './svg.ts';
import { phaseOf } from '../tasks/tasks.ts';
import { melodyWav } from './wav.ts';

/** A file as it is served. */
export interface MediaFile {
  type: string;
  body: string | Uint8Array<ArrayBuffer>;
}

/** The file that a name such as `1.svg` stands for; undefined when the task has none by it. */
export function taskFile(task: Task, name: string, now: number): MediaFile | undefined {
  const [, digits = '', ending] = /^(\d{1,3})\.(\w+)$/.exec(name) ?? [];
  const number = Number(digits);
  const exists = number >= 1 && number <= task.count && ending === fileEndings[task.kind];
  if (!exists || phaseOf(task, now).status !== 'completed') return undefined;
  switch (task.kind) {
    case 'image':
      return { type: 'image/svg+xml', body: promptSvg(task.prompt, number, task.model) };
    case 'audio':
      return { type: 'audio/wav', body: melodyWav(`${task.prompt} ${number}`) };
    case 'video':
      return { type: 'video/mp4', body: sampleVideo(task.prompt, secondsOf(task)) };
  }
}

/** As long as was asked for. */
function secondsOf({ body }: Task): number {
  return typeof body.duration === 'number' ? body.duration : 5;
}
