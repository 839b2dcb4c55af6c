/** The name of a downloaded result: words of the prompt, and the extension in the URL. */
export function fileName(url: string, prompt: string, number: number): string {
  const [extension = ''] = /\.\w{2,4}$/.exec(new URL(url, 'http://page').pathname) ?? [];
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['result'];
  const name = words.join('-').slice(0, 60).replace(/-+$/, '');
  return `${name}${number > 1 ? `-${number}` : ''}${extension}`;
}
