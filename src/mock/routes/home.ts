import { text } from '../http/response/response.ts';
import { reads } from '../http/endpoint.ts';
import { homePage } from '../pages/home.ts';

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
