// The script of a page that generates an image with the AI SDK, and shows it.
import { generateImage } from 'ai';
import { createPolygate } from 'polygate/ai-sdk';

globalThis.actions = {
  /** Shows an image in the given format, and returns what the browser has decoded. */
  async show(options, format) {
    const polygate = createPolygate({ ...options, dangerouslyAllowBrowser: true });
    const { image } = await generateImage({
      model: polygate.image('prism-image'),
      prompt: `A harbor in ${format ?? 'the default format'}`,
      providerOptions: { polygate: format ? { output_format: format } : {} },
    });
    const element = document.createElement('img');
    element.src = `data:${image.mediaType};base64,${image.base64}`;
    document.body.append(element);
    await element.decode();
    const { naturalWidth: width, naturalHeight: height } = element;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(element, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const colors = new Set(new Uint32Array(data.buffer));
    return { mediaType: image.mediaType, width, height, isPicture: colors.size > 1 };
  },
};
