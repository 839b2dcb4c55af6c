import { defineEndpoint } from '../http/endpoint.ts';
import { bodyResponse } from '../http/response/response.ts';
import { homePage } from '../pages/home.ts';

/** A page for people who open the gateway in a browser. Not part of the specification. */
export const homeRoutes = [
  defineEndpoint({
    method: 'GET',
    path: '/',
    summary: 'Home page',
    auth: 'none',
    hidden: true,
    handle: (context) => bodyResponse(200, 'text/html; charset=utf-8', homePage(context)),
  }),
];
