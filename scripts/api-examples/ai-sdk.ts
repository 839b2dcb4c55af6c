/** Examples of the API reference for `polygate/ai-sdk`. */
import { generateText } from 'ai';
import { Polygate } from 'polygate';
import { createPolygate } from 'polygate/ai-sdk';

// For PolygateProvider, PolygateProviderSettings
export async function write() {
  const polygate = createPolygate({ client: new Polygate({ budget: { maxUsd: 1 } }) });
  const { text } = await generateText({ model: polygate('aurora-chat'), prompt: 'Name a port.' });
  console.log(text);
}
