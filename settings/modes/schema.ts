import { z } from "zod";
import { MODE_SLUG } from "../../machines/task/mode.ts";
import { ToolError } from "../../tools/error.ts";
import type { ModePermission } from "../../tools/modes/mode.ts";
import { createModes } from "../../tools/modes/modes.ts";

/** A text that is not empty, without white space at its ends. */
export const Text = z.string().trim().min(1);

export const Slug = z
  .string()
  .regex(
    MODE_SLUG,
    "expected a slug of 1 to 64 letters, digits, '_' and '-', with a letter or digit first. Rename it.",
  );

/** A regular expression for the files of edits. */
export const Pattern = z.string().superRefine((pattern, context) => {
  const message = patternProblem(pattern);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

function patternProblem(pattern: string): string | undefined {
  const permissions: readonly ModePermission[] = [{ group: "edit", files: { pattern } }];
  try {
    createModes([{ slug: "file", name: "File", role: "", permissions }]);
    return undefined;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return error.message.replace(/^E/, "e");
  }
}

/**
 * A group of tools: a name alone, or an entry with restrictions. Problems name the form that was written.
 * Undefined for a group without meaning here.
 */
export function groupSchema<T extends ModePermission | undefined>(
  name: z.ZodType<T>,
  restricted: z.ZodType<T>,
): z.ZodType<T> {
  return z.unknown().transform((entry, context) => {
    const parsed = (typeof entry === "object" ? restricted : name).safeParse(entry);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      // The keys that are known stand in the message: the schema that has them is hidden by the choice.
      if (issue.code === "unrecognized_keys") {
        const { path, message } = issue;
        for (const key of issue.keys) context.addIssue({ code: "custom", path: [...path, key], message });
      } else context.addIssue({ ...issue });
    }
    return z.NEVER;
  });
}

/** Groups, each at most once. */
export const groupsSchema = <T extends ModePermission | undefined>(group: z.ZodType<T>) =>
  z.array(group).superRefine((groups, context) => {
    for (const at of repeated(groups.map((each) => each?.group))) {
      const message = "expected each group once. Remove one.";
      context.addIssue({ code: "custom", path: [at], message });
    }
  });

/** Modes, each slug at most once. */
export const modesSchema = <T extends { readonly slug: string }>(mode: z.ZodType<T>) =>
  z.array(mode).superRefine((modes, context) => {
    for (const at of repeated(modes.map(({ slug }) => slug))) {
      const message = "expected each slug once in the file. Rename or remove one of the modes.";
      context.addIssue({ code: "custom", path: [at, "slug"], message });
    }
  });

/** The positions of values that occurred before. */
function repeated(values: readonly (string | undefined)[]): readonly number[] {
  return values.flatMap((value, at) => (value !== undefined && values.indexOf(value) < at ? at : []));
}
