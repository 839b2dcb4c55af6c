/** Examples of the API reference for what a chat consists of. */
import type {
  AudioPart,
  ChatCompletion,
  ChatCompletionParams,
  ChatStreamParams,
  ContentPart,
  FilePart,
  Polygate,
  RefusalPart,
  ResponseFormat,
  StandardSchema,
  VideoPart,
} from 'polygate';

declare const gateway: Polygate;
declare const completion: ChatCompletion;
declare const body: string;

// For ChatParams
export function tune() {
  return gateway.chat.completions.create({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Name a port in Portugal.' }],
    temperature: 0.2,
    max_tokens: 200,
  });
}

// For ChatCompletionParams, ChatStreamParams
export async function completeAndStream() {
  const params: ChatCompletionParams = {
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Name a port in Portugal.' }],
  };
  const { choices } = await gateway.chat.completions.create(params);
  console.log(choices[0]?.message.content);
  const streamed: ChatStreamParams = { ...params, stream: true };
  for await (const { choices: added } of await gateway.chat.completions.create(streamed)) {
    process.stdout.write(added[0]?.delta.content ?? '');
  }
}

// For ContentPart, TextPart, ImagePart
export function askAboutImage() {
  const url = 'https://files.example/harbor.png';
  const content: ContentPart[] = [
    { type: 'text', text: 'Which harbor is this?' },
    { type: 'image_url', image_url: { url, detail: 'low' } },
  ];
  return gateway.chat.completions.create({
    model: 'lumen/vision-chat',
    messages: [{ role: 'user', content }],
  });
}

// For AudioPart
export function audioPart(data: string): AudioPart {
  return { type: 'input_audio', input_audio: { data, format: 'wav' } };
}

// For VideoPart
export function videoPart(url: string): VideoPart {
  return { type: 'video_url', video_url: { url } };
}

// For FilePart
export function filePart(file_data: string): FilePart {
  return { type: 'file', file: { filename: 'tides.pdf', file_data } };
}

// For RefusalPart
export function refused(refusal: string): RefusalPart {
  return { type: 'refusal', refusal };
}

// For ChatUsage
export function countTokens() {
  const { prompt_tokens, completion_tokens } = completion.usage ?? {};
  console.log(`${prompt_tokens} tokens in, ${completion_tokens} tokens out`);
}

// For FinishReason
export function isCutOff() {
  return completion.choices[0]?.finish_reason === 'length';
}

// For ChatImage, AssistantImage
export function listImages() {
  for (const image of completion.choices[0]?.message.images ?? [])
    console.log(image.image_url?.url);
}

// For AssistantToolCall, ToolCallDelta
export function listToolCalls() {
  for (const call of completion.choices[0]?.message.tool_calls ?? [])
    console.log(call.function.name, call.function.arguments);
}

// For ToolDefinition, ToolChoice, NamedToolChoice
export function offerTool() {
  return gateway.chat.completions.create({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'How warm is the sea in Lisbon?' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'sea_temperature',
          description: 'The temperature of the sea near a city',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'sea_temperature' } },
  });
}

// For ResponseFormat, JsonSchemaFormat
export function requestSchema() {
  const response_format: ResponseFormat = {
    type: 'json_schema',
    json_schema: { name: 'port', schema: { type: 'object' }, strict: true },
  };
  return gateway.chat.completions.create({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Name a port in Portugal.' }],
    response_format,
  });
}

// For JsonObjectFormat, TextFormat
export function requestJson() {
  return gateway.chat.completions.create({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Name a port in Portugal, as JSON.' }],
    response_format: { type: 'json_object' },
  });
}

// For ChatAudioParams
export function requestAudio() {
  return gateway.chat.completions.create({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Say hello.' }],
    modalities: ['text', 'audio'],
    audio: { voice: 'calm-narrator', format: 'mp3' },
  });
}

// For WebSearchOptions
export function searchWeb() {
  return gateway.chat.completions.create({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Which ships are in port today?' }],
    web_search_options: { search_context_size: 'low' },
  });
}

// For Stream, ChatCompletionChunk, ChatCompletionChunkChoice, ChatCompletionDelta
export async function readChunks() {
  const stream = await gateway.chat.completions.create({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Why do ships float?' }],
    stream: true,
  });
  for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? '');
}

// For ItemStream
export async function relay() {
  const stream = await gateway.chat.completions.create({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Why do ships float?' }],
    stream: true,
  });
  return new Response(stream.toReadableStream());
}

// For StandardSchema, StandardJsonSchema, StandardResult, SchemaIssue
export async function check(schema: StandardSchema<{ port: string }>) {
  const result = await schema['~standard'].validate(JSON.parse(body));
  if (result.issues) console.log(result.issues.map(({ message }) => message));
  else console.log(result.value.port);
}
