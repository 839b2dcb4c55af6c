import { text } from '../answer.ts';
import { reads } from '../endpoint.ts';
import { homePage } from '../home-page.ts';

/** Not in the specification: a page for people who open the gateway in a browser. */
export const homeRoutes = [
  reads({
    method: 'GET',
    path: '/',
    summary: 'What is running here',
    auth: 'none',
    hidden: true,
    handle: (call) => text(200, 'text/html; charset=utf-8', homePage(call)),
  }),
];
