// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  MediaReference,
  VideoAudioItem,
  VideoExtraBody,
  VideoImageItem,
  VideoParams,
  VideoTextItem,
  VideoVideoItem,
} from '../../../types/media/videos.ts';
import type { Docs } from '../../record-schema.ts';

export const mediaReference: Docs<MediaReference> = {
  fields: {
    url: 'URL of the media. The specification allows `asset://` URIs here, and forbids them in `prompt` and other text fields.',
  },
};

export const videoTextItem: Docs<VideoTextItem> = {
  fields: {
    type: 'Item type.',
    text: 'Text prompt. Must not contain an `asset://` URI.',
  },
};

export const videoImageItem: Docs<VideoImageItem> = {
  fields: {
    type: 'Item type.',
    image_url: 'Reference to the image.',
    role: 'Role of the image.',
  },
};

export const videoVideoItem: Docs<VideoVideoItem> = {
  fields: {
    type: 'Item type.',
    video_url: 'Reference to the video.',
    role: 'Role of the video.',
  },
};

export const videoAudioItem: Docs<VideoAudioItem> = {
  fields: {
    type: 'Item type.',
    audio_url: 'Reference to the audio.',
    role: 'Role of the audio.',
  },
};

export const videoExtraBody: Docs<VideoExtraBody> = {
  fields: {
    generate_audio: 'Whether to generate audio with the video.',
    negative_prompt:
      'Text describing what the video should not show. Must not contain an `asset://` URI.',
    seed: 'Random seed, an integer.',
    operation: 'Operation to perform on the source video.',
    input_video_seconds: 'Length of the input video in seconds.',
  },
};

export const videoParams: Docs<VideoParams> = {
  fields: {
    model: "Id of a model whose `type` in `models.list()` is `'video'`.",
    prompt: 'Text prompt. Must not contain an `asset://` URI.',
    size: 'Size, such as `720p` or `1080p`.',
    resolution: 'Resolution, for requests with `content`, such as `720p`.',
    aspect_ratio: 'Aspect ratio, such as `16:9` or `9:16`.',
    duration: 'Duration in seconds, an integer.',
    image: 'URL of the first frame or source image.',
    last_image: 'URL of the last frame.',
    images: 'URLs of multiple reference images.',
    video: 'URL of the source video to continue, edit or extend.',
    content:
      'The request as a list of text and media items. Media can come from the material library.',
    extra_body: 'Additional options for the model.',
  },
};
