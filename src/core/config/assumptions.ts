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
const lines = `video poll path|/v1/videos/{id}|paths.videoTask
image poll path|/v1/images/tasks/{id}|paths.imageTask
image and video records|as audio
status words|any case; unknown is running
places of URLs|all known
wrapped records|data or task
finished submits|succeeded
chat records|OpenAI's
error bodies|all known; class by status
request id header|x-request-id|requestIdHeader
chat keys|no replay|retryAmbiguous.chat
voice keys|no replay|retryAmbiguous.voices
a key with another body|the service decides
slots|held by requests
failed tasks|charges as reported
discovery bodies|open records
model list styles|Anthropic's and Gemini's
webhooks|nothing is verified
voice formulas|USD
edits, usage, estimates|gateway.request()
end of a material list|no has_more
verification URLs|as told`;

/** Every place where the specification is silent, in order: A1, A2 and so on. */
export const assumptions: readonly Assumption[] = /* @__PURE__ */ lines
  .split('\n')
  .map((line, index) => {
    const [gap = '', assume = '', override = null] = line.split('|');
    return { id: `A${index + 1}`, gap, assume, override };
  });
