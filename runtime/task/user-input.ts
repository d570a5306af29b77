import { z } from "zod";
import type { AnswerResult, AskHandle } from "../../actors/ask/open-asks.ts";
import { imageBlock } from "../../machines/conversation/blocks.ts";
import type { Answer } from "../../machines/message/asks.ts";
import { defaultsOf, type LimitTable, type LimitValues } from "../../machines/task/limit-table.ts";
import { checkImage } from "../../tools/image.ts";
import { HostError } from "./errors.ts";

/** The limits of input, with their defaults. */
export const USER_INPUT_LIMIT_TABLE = {
  /** Characters of one prompt, answer or queued message. */
  textChars: { default: 1_000_000, unit: "characters" },
  /** Images of one input. */
  images: { default: 20, unit: "count" },
  /** Characters of one image's data URL. */
  imageChars: { default: 14_000_000, unit: "characters" },
} as const satisfies LimitTable;

/** Limits of one user input (L14). */
export type UserInputLimits = LimitValues<typeof USER_INPUT_LIMIT_TABLE>;

export const DEFAULT_USER_INPUT_LIMITS: UserInputLimits = defaultsOf(USER_INPUT_LIMIT_TABLE);

/** Text and images of a user. A caller without types may pass anything. */
export interface UserInput {
  readonly text: string;
  readonly images: readonly string[];
}

/**
 * Validates user input before it becomes part of a task, and makes its text well-formed: nothing is recorded that can't
 * be sent to a model.
 */
export class UserInputValidator {
  readonly #input: z.ZodType<UserInput>;
  readonly #answer: z.ZodType<{ readonly kind: string }>;

  constructor(limits: UserInputLimits) {
    const text = z
      .string()
      .max(limits.textChars, `expected at most ${limits.textChars} characters (the limit \`textChars\`)`);
    const image = z
      .string()
      .max(limits.imageChars, `expected at most ${limits.imageChars} characters (the limit \`imageChars\`)`)
      .refine(isImage, {
        error: "expected a data URL of a PNG, JPEG, GIF or WebP image, in base64",
        when: ({ issues }) => issues.length === 0,
      })
      .superRefine((url, context) => {
        const fault = faultOf(url);
        if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
      });
    const images = z
      .array(image)
      .max(limits.images, `expected at most ${limits.images} images (the limit \`images\`)`);
    this.#input = z.object({ text, images });
    this.#answer = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal(["yes", "no"]), text: text.optional(), images: images.optional() }),
      z.object({ kind: z.literal("text"), text, images: images.optional() }),
    ]);
  }

  /** The input with well-formed text. @throws HostError `OPTION_INVALID` naming `what` and the path in it */
  parse(what: string, input: UserInput): UserInput {
    const parsed = this.#input.safeParse(input);
    if (!parsed.success)
      throw new HostError("OPTION_INVALID", formatIssues(`The ${what} is invalid`, parsed.error));
    return { ...input, text: input.text.toWellFormed() };
  }

  /** Answer an ask with well-formed text, or refuse an invalid answer. Whether the ask is still open is not checked. */
  answer({ askId, ask, answer: send }: AskHandle, answer: Answer): AnswerResult {
    const name = `Ask ${askId} (${ask})`;
    const parsed = this.#answer.safeParse(answer);
    if (!parsed.success) return refused(formatIssues(`${name} can't take this answer`, parsed.error));
    if (ask === "completion_result" && answer.kind === "text" && isEmpty(answer))
      return refused(`${name} got an empty reply. Say what is missing, or accept or decline the result.`);
    // The machine freezes its events: the lists of the caller stay the caller's.
    return send({
      ...answer,
      ...(answer.text !== undefined && { text: answer.text.toWellFormed() }),
      ...(answer.images !== undefined && { images: [...answer.images] }),
    });
  }
}

const isImage = (url: string): boolean => imageBlock(url) !== undefined;

/** The reason why no endpoint takes an image: it would refuse each later request. Undefined for a valid one. */
function faultOf(url: string): string | undefined {
  const source = imageBlock(url)?.source;
  if (source === undefined) return undefined;
  const checked = checkImage(Buffer.from(source.data, "base64"), Number.POSITIVE_INFINITY);
  if (checked === undefined) return "expected the bytes of a PNG, JPEG, GIF or WebP image";
  if (!checked.ok) return `it is an image ${checked.reason}`;
  const { media_type: media } = checked.image.source;
  return media === source.media_type ? undefined : `expected the type ${media}, which its bytes have`;
}

const isEmpty = ({ text = "", images = [] }: Answer): boolean => text.trim() === "" && images.length === 0;

const refused = (message: string): AnswerResult => ({ ok: false, code: "ANSWER_REFUSED", message });

/** All issues of a zod error in one sentence, each with its path. */
export function formatIssues(what: string, { issues }: z.ZodError): string {
  const lines = issues.map(({ path, message }) =>
    path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`,
  );
  return `${what}: ${lines.join("; ")}.`;
}
