export { caught as rejection, image, onMock } from '../../client/support.ts';
