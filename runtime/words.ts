import { z } from "zod";
import type { AnswerResult, AskHandle } from "../actors/index.ts";
import { imageBlock } from "../machines/conversation/index.ts";
import type { Answer } from "../machines/message/index.ts";
import { HostError } from "./errors.ts";

/** How much a person may say at once (L14). */
export interface WordLimits {
  /** Characters of one prompt, answer or queued message. Default 1,000,000. */
  readonly textChars: number;
  /** Images beside it. Default 20. */
  readonly images: number;
  /** Characters of one image's data URL. Default 14,000,000: some 10 MB. */
  readonly imageChars: number;
}

export const DEFAULT_WORD_LIMITS: WordLimits = { textChars: 1_000_000, images: 20, imageChars: 14_000_000 };

/** What a person says, as it may come from a caller without types. */
export interface Said {
  readonly text: string;
  readonly images: readonly string[];
}

/** Checks words before they become part of a task, so that nothing is recorded that can't be sent. */
export class WordCheck {
  readonly #said: z.ZodType<Said>;
  readonly #answer: z.ZodType<{ readonly kind: string }>;

  constructor(limits: WordLimits) {
    const text = z
      .string()
      .max(limits.textChars, `expected at most ${limits.textChars} characters (the limit \`textChars\`)`);
    const image = z
      .string()
      .max(limits.imageChars, `expected at most ${limits.imageChars} characters (the limit \`imageChars\`)`)
      .refine(isImage, {
        error: "expected a data URL of a PNG, JPEG, GIF or WebP image, in base64",
        when: ({ issues }) => issues.length === 0,
      });
    const images = z
      .array(image)
      .max(limits.images, `expected at most ${limits.images} images (the limit \`images\`)`);
    this.#said = z.object({ text, images });
    this.#answer = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal(["yes", "no"]), text: text.optional(), images: images.optional() }),
      z.object({ kind: z.literal("text"), text, images: images.optional() }),
    ]);
  }

  /** @throws HostError `OPTION_INVALID` naming `what` and the place in it */
  expect(what: string, said: Said): void {
    const parsed = this.#said.safeParse(said);
    if (!parsed.success)
      throw new HostError("OPTION_INVALID", misfit(`The ${what} can't be taken`, parsed.error));
  }

  /** Why this answer can't be given to this ask; undefined if it can. Whether it comes in time is the ask's to say. */
  refusal({ askId, ask }: AskHandle, answer: Answer): AnswerResult | undefined {
    const name = `Ask ${askId} (${ask})`;
    const parsed = this.#answer.safeParse(answer);
    if (!parsed.success) return refused(misfit(`${name} can't take this answer`, parsed.error));
    if (ask === "completion_result" && answer.kind === "text" && isEmpty(answer))
      return refused(`${name} was replied to without words: say what is missing, or accept or decline it.`);
    return undefined;
  }
}

const isImage = (url: string): boolean => imageBlock(url) !== undefined;

const isEmpty = ({ text = "", images = [] }: Answer): boolean => text.trim() === "" && images.length === 0;

const refused = (message: string): AnswerResult => ({ taken: false, code: "ANSWER_REFUSED", message });

/** One line for each thing that doesn't fit, with its place. */
export function misfit(what: string, { issues }: z.ZodError): string {
  const lines = issues.map(({ path, message }) =>
    path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`,
  );
  return `${what}: ${lines.join("; ")}.`;
}
