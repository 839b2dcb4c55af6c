// Renders the page on a server.
import { StrictMode, createElement } from 'react';
import { renderToString } from 'react-dom/server';

import { App } from './hooks-app.js';

export const html = () => renderToString(createElement(StrictMode, null, createElement(App)));
