export { version } from '../core/config/version.ts';
