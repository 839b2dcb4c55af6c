// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  AssistantImage,
  AssistantMessage,
  AssistantToolCall,
  AudioPart,
  FilePart,
  ImagePart,
  RefusalPart,
  SystemMessage,
  TextPart,
  ToolMessage,
  UserMessage,
  VideoPart,
} from '../../../types/chat/messages.ts';
import type { Docs } from '../../record-schema.ts';

export const textPart: Docs<TextPart> = {
  fields: {
    type: 'Part type.',
    text: 'Text content.',
  },
};

export const imagePartImageUrl: Docs<NonNullable<ImagePart['image_url']>> = {
  fields: {
    url: 'URL or data URL.',
    detail: 'Level of detail that the model processes the image with.',
  },
};

export const imagePart: Docs<ImagePart> = {
  fields: {
    type: 'Part type.',
    image_url: 'URL or data URL of the image, and the level of detail to process it with.',
  },
};

export const audioPartInputAudio: Docs<NonNullable<AudioPart['input_audio']>> = {
  fields: {
    data: 'Audio file, Base64-encoded.',
    format: 'Format of the file.',
  },
};

export const audioPart: Docs<AudioPart> = {
  fields: {
    type: 'Part type.',
    input_audio: 'Base64-encoded audio and its format.',
  },
};

export const videoPartVideoUrl: Docs<NonNullable<VideoPart['video_url']>> = {
  fields: {
    url: 'URL or data URL.',
  },
};

export const videoPart: Docs<VideoPart> = {
  fields: {
    type: 'Part type.',
    video_url: 'URL or data URL of the video.',
  },
};

export const filePartFile: Docs<NonNullable<FilePart['file']>> = {
  fields: {
    file_data: 'File content as a data URL.',
    file_id: 'Id of an uploaded file.',
    filename: 'File name.',
  },
};

export const filePart: Docs<FilePart> = {
  fields: {
    type: 'Part type.',
    file: 'File content as a data URL, or the id of an uploaded file.',
  },
};

export const refusalPart: Docs<RefusalPart> = {
  fields: {
    type: 'Part type.',
    refusal: 'Refusal message.',
  },
};

export const systemMessage: Docs<SystemMessage> = {
  fields: {
    role: 'Role of the author.',
    content: 'The instructions, as text or as text parts.',
    name: 'Name of the author.',
  },
};

export const userMessage: Docs<UserMessage> = {
  fields: {
    role: 'Role of the author.',
    content: 'The message, as text or as content parts.',
    name: 'Name of the author.',
  },
};

export const assistantMessageAudio: Docs<NonNullable<AssistantMessage['audio']>> = {
  fields: {
    id: 'Id of the audio response.',
  },
};

export const assistantMessage: Docs<AssistantMessage> = {
  fields: {
    role: 'Role of the author.',
    content:
      'The message, as text or as content parts. Null or absent if it contains only tool calls or a refusal.',
    name: 'Name of the author.',
    refusal: 'Refusal message, if the model refused the request.',
    reasoning_content: 'Reasoning text. Some models require it back while they call tools.',
    reasoning: 'Reasoning text, under the name that some models use.',
    tool_calls: 'Function calls requested by the model.',
    audio: 'Id of an earlier audio response of the model.',
    images: 'Images that the model generated.',
  },
};

export const assistantToolCallFunction: Docs<NonNullable<AssistantToolCall['function']>> = {
  fields: {
    name: 'Name of the function.',
    arguments: 'Arguments as a JSON string.',
  },
};

export const assistantToolCall: Docs<AssistantToolCall> = {
  fields: {
    id: 'Tool call id. The message with the result has the same `tool_call_id`.',
    type: 'Type of tool.',
    function: 'Function name, and its arguments as a JSON string.',
  },
};

export const assistantImageImageUrl: Docs<NonNullable<AssistantImage['image_url']>> = {
  fields: {
    url: 'URL or data URL.',
  },
};

export const assistantImage: Docs<AssistantImage> = {
  fields: {
    type: 'Type of image reference.',
    image_url: 'URL or data URL of the image.',
    index: 'Position among the images of the message.',
  },
};

export const toolMessage: Docs<ToolMessage> = {
  fields: {
    role: 'Role of the author.',
    content: 'Result of the call, as text or as text parts.',
    tool_call_id: 'Id of the tool call that this message responds to.',
  },
};
