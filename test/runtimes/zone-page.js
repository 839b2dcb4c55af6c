// A page with zone.js, which replaces `Promise` before the client is loaded.
import { ZoneContextManager } from '@opentelemetry/context-zone';

import { start } from './tracing-page.js';

start(new ZoneContextManager());
