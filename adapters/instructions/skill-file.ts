import { z } from "zod";
import type { Skill } from "../../ports/skills.ts";
import { splitFrontMatter } from "../../store/files/front-matter.ts";

/** A parsed `SKILL.md`. */
export type ParsedSkill =
  | { readonly ok: true; readonly skill: Skill; readonly body: string }
  /** The error in the file, in one line. */
  | { readonly ok: false; readonly reason: string };

/** Maximum characters of the front matter. */
const HEAD_MAX_CHARS = 16_384;
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._:-]{0,62}[\p{L}\p{N}])?$/u;

const Head = z.looseObject(
  {
    name: z
      .string("name: expected a text")
      .trim()
      .regex(
        NAME,
        "name: expected 1 to 64 letters, digits, spaces, '.', '_', ':' or '-', with a letter or digit at both ends",
      ),
    description: z.string("description: expected a text").trim().min(1, "description: expected a text"),
  },
  "expected the fields name and description",
);

/** Parse a `SKILL.md`: YAML front matter with `name` and `description`, then the body. */
export async function parseSkill(text: string): Promise<ParsedSkill> {
  const { head, body } = splitFrontMatter(text) ?? {};
  if (head === undefined || body === undefined)
    return invalid("it must begin with front matter: name and description between two lines '---'");
  if (head.length > HEAD_MAX_CHARS)
    return invalid(
      `the front matter has ${head.length} characters: expected at most ${HEAD_MAX_CHARS}. Move text to the body`,
    );
  // Only a task with skills loads the parser.
  const { parse } = await import("yaml");
  let fields: unknown;
  try {
    fields = parse(head, { logLevel: "error" });
  } catch (error) {
    return invalid(`the front matter is not valid YAML: ${firstLine(error)}`);
  }
  const parsed = Head.safeParse(fields);
  if (!parsed.success)
    return invalid(
      `the front matter is invalid: ${parsed.error.issues.map(({ message }) => message).join("; ")}`,
    );
  const { name, description } = parsed.data;
  const skill = { name, description: description.replace(/\s+/g, " ") };
  return { ok: true, skill, body: body.trim() };
}

const invalid = (reason: string): ParsedSkill => ({ ok: false, reason });

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]?.replace(/:$/, "") ?? "";
