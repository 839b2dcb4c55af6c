export { version } from '../client/config/version.ts';
