/**
 * Imports every part of the client statically, for environments in which `import()` does not work (service workers that
 * are not bundled) or should not be waited for (tests with fake timers): `import 'polygate/all'`. The imports below are
 * the complete list of parts.
 */
import { runBatch } from './core/batch/batch.ts';
import { runRecovery } from './core/batch/recover.ts';
import { batches, recoveries } from './core/batch/start.ts';
import { fallbackLoop } from './core/call/load-parts.ts';
import { unreadBodies } from './core/call/request/request.ts';
import { sendToModels } from './core/call/send-to-models.ts';
import { keepBodyUnread, toUnreadResult } from './core/call/unread-body.ts';
import { structuredOutput } from './core/chat/completion-parser.ts';
import { toolRuns } from './core/chat/start-run.ts';
import {
  parseCompletion,
  parseWithSchema,
  toResponseFormat,
} from './core/chat/structured-output.ts';
import { finalInTime, runTools } from './core/chat/tool-run.ts';
import { fetching } from './core/fetch/gateway-fetch.ts';
import { sendFetch } from './core/fetch/send-fetch.ts';
import { refusals } from './core/http/explain-refusal.ts';
import { ky } from './core/http/hooked-transport.ts';
import { createKyTransport } from './core/http/ky-transport.ts';
import { refusedSignal } from './core/http/refused-signal.ts';
import { streamReader } from './core/stream/open-stream.ts';
import {
  partialJsonParser,
  pullEvents,
  readOtherShape,
  readRelayed,
  readStream,
} from './core/stream/reading.ts';
import { download } from './core/tasks/downloads/download.ts';
import { downloads } from './core/tasks/downloads/start-download.ts';
import { waits } from './core/tasks/wait/run-wait.ts';
import { readGeneration, Wait } from './core/tasks/wait/wait.ts';

batches.provide({ runBatch });
downloads.provide({ download });
fallbackLoop.provide({ sendToModels });
fetching.provide({ sendFetch });
ky.provide({ createKyTransport });
recoveries.provide({ runRecovery });
refusals.provide({ refusedSignal });
streamReader.provide({ partialJsonParser, pullEvents, readOtherShape, readRelayed, readStream });
structuredOutput.provide({ parseCompletion, parseWithSchema, toResponseFormat });
toolRuns.provide({ finalInTime, runTools });
unreadBodies.provide({ keepBodyUnread, toUnreadResult });
waits.provide({ readGeneration, Wait });
