/** A gap in the specification, and what polygate assumes there. */
export interface Assumption {
  /** Its name, as the documentation refers to it. */
  readonly id: string;
  /** What the specification does not show. */
  readonly gap: string;
  /** What is assumed. */
  readonly assume: string;
  /** The option that overrides it; null where there is none. */
  readonly override: string | null;
}

/** One line each: the gap, what is assumed, and the option that overrides it. */
const lines = `video poll path|/v1/videos/{id}, else where the answer says|paths.videoTask
image poll path|/v1/images/tasks/{id}, else where the answer says|paths.imageTask
image and video records|those of audio tasks
status words|any case; an unknown one is running
where a URL stands|every known place, in order
wrapped records|under data or task
finished submits|a result counts as succeeded
chat records|OpenAI's
error bodies and codes|error, message, code or detail; class by status
request id header|x-request-id|requestIdHeader
chat under a key|may be charged twice|retryAmbiguous.chat
voices under a key|may be charged twice|retryAmbiguous.voices
a key with another body|the service decides
slots of running tasks|held by requests only
failed tasks|charges count as reported
discovery bodies|open records
other model lists|Anthropic's and Gemini's own
webhooks|nothing is verified
voice formula currency|USD
edits, usage, estimates|gateway.request()
end of a material list|has_more false or no cursor
life of a verification URL|as told`;

/** Every place where the specification is silent, in order: A1, A2 and so on. */
export const assumptions: readonly Assumption[] = /* @__PURE__ */ lines
  .split('\n')
  .map((line, index) => {
    const [gap = '', assume = '', override = null] = line.split('|');
    return { id: `A${index + 1}`, gap, assume, override };
  });
