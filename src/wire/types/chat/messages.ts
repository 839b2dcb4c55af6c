import type { OpenString } from '../schema.ts';

/** Text content part. */
export interface TextPart {
  /** Part type. */
  type: 'text';
  /** Text content. */
  text: string;
}

/** Image content part. */
export interface ImagePart {
  /** Part type. */
  type: 'image_url';
  /** URL or data URL of the image, and the level of detail to process it with. */
  image_url: {
    /** URL or data URL. */
    url: string;
    /** Level of detail that the model processes the image with. */
    detail?: OpenString<'auto' | 'low' | 'high'> | undefined;
  };
}

/** Audio content part. */
export interface AudioPart {
  /** Part type. */
  type: 'input_audio';
  /** Base64-encoded audio and its format. */
  input_audio: {
    /** Audio file, Base64-encoded. */
    data: string;
    /** Format of the file. */
    format: OpenString<'wav' | 'mp3'>;
  };
}

/** Video content part, which multimodal models of several providers accept. */
export interface VideoPart {
  /** Part type. */
  type: 'video_url';
  /** URL or data URL of the video. */
  video_url: {
    /** URL or data URL. */
    url: string;
  };
}

/** File content part. */
export interface FilePart {
  /** Part type. */
  type: 'file';
  /** File content as a data URL, or the id of an uploaded file. */
  file: {
    /** File content as a data URL. */
    file_data?: string | undefined;
    /** Id of an uploaded file. */
    file_id?: string | undefined;
    /** File name. */
    filename?: string | undefined;
  };
}

/** Refusal in an earlier message from the model. */
export interface RefusalPart {
  /** Part type. */
  type: 'refusal';
  /** Refusal message. */
  refusal: string;
}

/** One part of the content of a message. */
export type ContentPart = TextPart | ImagePart | AudioPart | VideoPart | FilePart;

/** System or developer message: instructions for the model. */
export interface SystemMessage {
  /** Role of the author. */
  role: 'system' | 'developer';
  /** The instructions, as text or as text parts. */
  content: string | readonly TextPart[];
  /** Name of the author. */
  name?: string | undefined;
}

/** User message. */
export interface UserMessage {
  /** Role of the author. */
  role: 'user';
  /** The message, as text or as content parts. */
  content: string | readonly ContentPart[];
  /** Name of the author. */
  name?: string | undefined;
}

/**
 * Earlier message from the model. You can pass `choices[0].message` of a {@link ChatCompletion} as is.
 * @keepsUnknownFields
 */
export interface AssistantMessage {
  /** Role of the author. */
  role: 'assistant';
  /** The message, as text or as content parts. Null or absent if it contains only tool calls or a refusal. */
  content?: string | readonly (ContentPart | RefusalPart)[] | null | undefined;
  /** Name of the author. */
  name?: string | undefined;
  /** Refusal message, if the model refused the request. */
  refusal?: string | null | undefined;
  /** Reasoning text. Some models require it back while they call tools. */
  reasoning_content?: string | null | undefined;
  /** Reasoning text, under the name that some models use. */
  reasoning?: string | null | undefined;
  /** Function calls requested by the model. */
  tool_calls?: readonly AssistantToolCall[] | null | undefined;
  /** Id of an earlier audio response of the model. */
  audio?:
    | {
        /** Id of the audio response. */
        id: string;
      }
    | null
    | undefined;
  /** Images that the model generated. */
  images?: readonly AssistantImage[] | null | undefined;
}

/**
 * Function call in an earlier message from the model.
 * @keepsUnknownFields
 */
export interface AssistantToolCall {
  /** Tool call id. The message with the result has the same `tool_call_id`. */
  id: string;
  /** Type of tool. */
  type: 'function';
  /** Function name, and its arguments as a JSON string. */
  function: {
    /** Name of the function. */
    name: string;
    /** Arguments as a JSON string. */
    arguments: string;
  };
}

/**
 * Image in an earlier message from the model.
 * @keepsUnknownFields
 */
export interface AssistantImage {
  /** Type of image reference. */
  type?: 'image_url' | undefined;
  /** URL or data URL of the image. */
  image_url: {
    /** URL or data URL. */
    url: string;
  };
  /** Position among the images of the message. */
  index?: number | undefined;
}

/** Result of a tool call. */
export interface ToolMessage {
  /** Role of the author. */
  role: 'tool';
  /** Result of the call, as text or as text parts. */
  content: string | readonly TextPart[];
  /** Id of the tool call that this message responds to. */
  tool_call_id: string;
}

// Compilers check `role` first, so that an error for a role of type `string` names it, not a field of one of the messages.
/** One message in a conversation. */
export type ChatMessage = { role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' } & (
  | SystemMessage
  | UserMessage
  | AssistantMessage
  | ToolMessage
);
