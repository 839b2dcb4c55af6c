export { caught as rejection, image, onMock } from '../core/support.ts';
