/** Examples of the API reference for `polygate/mock/msw`. */
import { setupServer } from 'msw/node';
import { createMockGateway } from 'polygate/mock';
import { handlers } from 'polygate/mock/msw';

// For HandlersOptions
export function useHandlers() {
  const mock = createMockGateway();
  const server = setupServer(...handlers(mock, { baseURL: 'https://gateway.example' }));
  server.listen();
}
