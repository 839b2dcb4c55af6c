import { priceLists } from './client.ts';
/**
 * Imports every part of the client statically, for environments in which `import()` does not work (service workers that
 * are not bundled) or should not be waited for (tests with fake timers): `import 'polygate/all'`. The imports below are
 * the complete list of parts.
 */
import { runBatch } from './client/batch/batch.ts';
import { runRecovery } from './client/batch/recover.ts';
import { batches, recoveries } from './client/batch/start.ts';
import { refusals } from './client/call/attempt.ts';
import * as callBudget from './client/call/call-budget.ts';
import { budgets } from './client/call/call.ts';
import { fallbackLoop } from './client/call/execute.ts';
import { unreadBodies } from './client/call/request.ts';
import { sendToModels } from './client/call/send-to-models.ts';
import * as unreadBody from './client/call/unread-body.ts';
import { structuredOutput } from './client/chat/completion-parser.ts';
import { toolRuns } from './client/chat/prepare-chat.ts';
import {
  parseCompletion,
  parseWithSchema,
  toResponseFormat,
} from './client/chat/structured-output.ts';
import { runTools } from './client/chat/tool-run.ts';
import { fetching } from './client/fetch/gateway-fetch.ts';
import { sendFetch } from './client/fetch/send-fetch.ts';
import { ky } from './client/http/hooked-transport.ts';
import { createKyTransport } from './client/http/ky-transport.ts';
import { refusedSignal } from './client/http/refused-signal.ts';
import { streamReader } from './client/stream/pending-stream.ts';
import {
  partialJsonParser,
  pullEvents,
  readOtherShape,
  readRelayed,
  readStream,
} from './client/stream/reading.ts';
import { download } from './client/tasks/download.ts';
import { downloads } from './client/tasks/start-download.ts';
import * as waitSteps from './client/tasks/wait-steps.ts';
import { waits } from './client/tasks/wait.ts';
import { loadPrices } from './resources/price-list.ts';

batches.provide({ runBatch });
budgets.provide(callBudget);
downloads.provide({ download });
fallbackLoop.provide({ sendToModels });
fetching.provide({ sendFetch });
ky.provide({ createKyTransport });
priceLists.provide({ loadPrices });
recoveries.provide({ runRecovery });
refusals.provide({ refusedSignal });
streamReader.provide({ partialJsonParser, pullEvents, readOtherShape, readRelayed, readStream });
structuredOutput.provide({ parseCompletion, parseWithSchema, toResponseFormat });
toolRuns.provide({ runTools });
unreadBodies.provide(unreadBody);
waits.provide(waitSteps);
