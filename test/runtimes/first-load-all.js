// The same with all parts of the client, as a service worker needs them that is not bundled into one file.
export * from 'polygate/all';
export { call } from './first-load.js';
