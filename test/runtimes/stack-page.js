// A page with the default context manager, which knows the active span only until the next `await`.
import { start } from './tracing-page.js';

start();
