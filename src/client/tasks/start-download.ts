import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';
import type { Generation, Receipt } from '../../wire/types/tasks/task.ts';
import { throwToCaller } from '../config/caller.ts';
import type { Config } from '../config/config.ts';
import { checkValue, plainObject, signalRule } from '../config/validation.ts';
import { Part } from '../http/part.ts';
import type { DownloadResponse } from './download-body.ts';
import type { DownloadOptions } from './download.ts';

export const downloads = /* @__PURE__ */ new Part(() => import('./download.ts'));

/** Downloads a result. */
export function startDownload(
  config: Config,
  source: string | Generation | TaskHandle,
  openTask: (receipt: Receipt) => TaskHandle,
  options: DownloadOptions = {},
): Promise<DownloadResponse> {
  const start = async () => {
    checkValue('options', options, plainObject);
    const { signal } = options;
    checkValue('signal', signal, signalRule);
    const isTask = source !== null && typeof source === 'object' && 'wait' in source;
    // Now, because the caller may change the object while the part is loading.
    const given = { ...options };
    const details = { outcome: 'not-sent', task: isTask ? source : undefined } as const;
    return downloads.use(config, ({ download }) => download(config, source, openTask, given), {
      signal,
      timeout: config.timeout,
      details,
    });
  };
  return start().catch(throwToCaller);
}
