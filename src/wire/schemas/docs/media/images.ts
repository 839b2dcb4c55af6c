// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type { ImageParams } from '../../../types/media/images.ts';
import type { Docs } from '../../record-schema.ts';

export const imageParams: Docs<ImageParams> = {
  fields: {
    model: "Id of a model whose `type` in `models.list()` is `'image'`.",
    prompt: 'Text prompt.',
    n: 'Number of images (OpenAI style).',
    size: 'Size in pixels, in the form `<width>x<height>`.',
    reference_image_urls: 'URLs of reference images.',
    task_type: 'Task type: text to image, or image to image.',
    image: 'URL of a single source image.',
    aspect_ratio: 'Aspect ratio, such as `1:1` or `auto`.',
    resolution: 'Resolution, such as `1k` or `2k`.',
    output_format: 'Output format, such as `jpeg` or `webp`.',
    num_images: 'Number of images. Price estimates use it instead of `n` if both are set.',
  },
};
