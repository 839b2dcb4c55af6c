/** An app that sends its telemetry where the environment says, and submits an image whose first response is lost. */
import { NodeSDK } from '@opentelemetry/sdk-node';
import { Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { openTelemetry } from 'polygate/otel';

const sdk = new NodeSDK();
sdk.start();

const mock = createMockGateway();
mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', attempt: 1 });
const { baseURL, close } = await listen(mock);
const gateway = new Polygate({ apiKey: mock.apiKey, baseURL, telemetry: openTelemetry() });
const task = await gateway.images.submit({ model: 'prism-image', prompt: 'A harbor' });
await close();

// Exports everything.
await sdk.shutdown();
console.log(task.id);
