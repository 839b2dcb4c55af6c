import type { RequestContext } from '../http/request-context.ts';
import { version } from '../public/records.ts';
import type { JsonObject } from './docs.ts';
import { operation } from './operation.ts';
import { componentParameters } from './parameters.ts';
import { componentSchemas } from './schemas.ts';
import { securitySchemes } from './security.ts';
import { tags } from './tags/index.ts';

const description = `One gateway to many models: chat, images, video, music and speech, with one API key and one wallet.

**Authentication.** Send \`Authorization: Bearer sk-…\` with every request, except for operations with the Service tag. A missing or invalid key returns 401, a disabled key 403.

**Tasks.** Images, video, music and speech are generated asynchronously. Submit a task, store its id, and poll it every 2 to 5 seconds until its status is \`completed\`, \`succeeded\` or \`failed\`. Download results promptly: result URLs are not permanent.

**Billing.** The \`x-svc-charge-usd\` header reports the charge for a request. If the outcome of a request that submits a task is unknown, retry it with the same \`x-idempotency-key\`: if the task was created, the response contains it, and you are not charged again.

**Concurrency.** Chat and generation requests share one concurrency limit. The \`x-svc-concurrency-limit\` and \`x-svc-concurrency-remaining\` headers report it. Requests above the limit return 429.

**Errors.** Errors have the form \`{"error": {"message", "type", "code"}}\`, except those of the key balance endpoint. \`GET /v1/errors\` lists all codes.

**Compatibility.** New fields and new values of most string fields can be added at any time. Ignore fields and values that you do not recognize.`;

/** Creates the OpenAPI document from the same endpoint table that handles requests. */
export function openApiDocument({ origin, services }: RequestContext): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of services.endpoints) {
    if (endpoint.hidden === true) continue;
    const { path, method } = endpoint;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Model gateway',
      version,
      description,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: origin, description: 'The gateway that served this document' }],
    tags: tags.map(({ tag }) => tag),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes,
      parameters: componentParameters(),
      schemas: componentSchemas(),
    },
  };
}
