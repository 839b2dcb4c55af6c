// Hydrates what the server has rendered, in strict mode.
import { StrictMode, createElement } from 'react';
import { hydrateRoot } from 'react-dom/client';

import { App } from './hooks-app.js';

hydrateRoot(document.body, createElement(StrictMode, null, createElement(App)), {
  onRecoverableError: (error) => console.error(error),
});
