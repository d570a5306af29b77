import { z } from "zod";
import { MODE_SLUG } from "../../machines/task/mode.ts";
import { splitFrontMatter } from "../../store/files/front-matter.ts";
import { parseDocument } from "../document.ts";
import { SettingsError } from "../error.ts";

/** A prompt in a file, which is a slash command. */
export interface CommandFile {
  /** Such as `review`, and `git:commit` for `git/commit.md`. */
  readonly name: string;
  readonly description?: string;
  /** A hint about its arguments, such as `FILE`. */
  readonly argumentHint?: string;
  /** The mode that it switches to. */
  readonly mode?: string;
  /** The prompt, with `$ARGUMENTS` and `$1` to `$9`. */
  readonly text: string;
}

const TEXT_MAX_CHARS = 1_000;
const NAME = /^[A-Za-z0-9][\w.-]{0,63}(:[A-Za-z0-9][\w.-]{0,63})*$/;
/** Whether a slash command can have this name. */
export const isCommandName = (name: string): boolean => NAME.test(name);

const line = z
  .string()
  .max(TEXT_MAX_CHARS)
  .transform((text) => text.replaceAll(/\s+/g, " ").trim());

/** Other keys, as of other programs, are ignored. */
const Head = z
  .object({
    description: line.nullish(),
    // `[FILE]` without quotes is a list in YAML.
    "argument-hint": z
      .union([line, z.array(z.string().max(TEXT_MAX_CHARS)).transform((words) => `[${words.join(", ")}]`)], {
        error: "expected a text such as FILE. Correct it.",
      })
      .nullish(),
    mode: z.string().regex(MODE_SLUG, "expected the slug of a mode. Correct it.").nullish(),
  })
  .nullable();

/**
 * Parse a command file: front matter with `description`, `argument-hint` and `mode`, which is optional, then the prompt.
 *
 * @param relative its path in the folder of commands
 * @param file its path for messages
 * @throws SettingsError `SETTINGS_INVALID`
 */
export async function parseCommand(text: string, relative: string, file: string): Promise<CommandFile> {
  const name = relative.replace(/\.md$/, "").replaceAll("/", ":");
  if (!isCommandName(name))
    throw bad(file, 1, "expected a name of letters, digits, '.', '_' and '-'. Rename the file");
  const parts = splitFrontMatter(text);
  if (parts === undefined) throw bad(file, 1, "expected a line '---' at the end of the front matter. Add it");
  // The first line of the file stays a line, for the numbers in messages.
  const { value } = await parseDocument(`\n${parts.head ?? ""}`, file, Head);
  const prompt = parts.body.replaceAll("\r\n", "\n").trim();
  if (prompt === "")
    throw bad(file, text.split("\n").length, "expected a prompt. Write it after the front matter");
  return {
    name,
    ...(value?.description && { description: value.description }),
    ...(value?.["argument-hint"] && { argumentHint: value["argument-hint"] }),
    ...(value?.mode && { mode: value.mode }),
    text: prompt,
  };
}

const bad = (file: string, at: number, problem: string): SettingsError =>
  new SettingsError("SETTINGS_INVALID", `${file}:${at}:1: ${problem}.`);

const PLACES = /\$(ARGUMENTS\b|[1-9](?!\d))/g;

/**
 * The prompt of a command with its arguments: `$ARGUMENTS` is all of them, `$1` the first word or quoted text. Arguments
 * that the prompt has no place for are added to its end. Nothing is executed.
 */
export function expandCommand({ text }: Pick<CommandFile, "text">, given: string): string {
  const all = given.trim();
  const words = commandArguments(all);
  const expanded = text.replaceAll(PLACES, (_place, name: string) =>
    name === "ARGUMENTS" ? all : (words[Number(name) - 1] ?? ""),
  );
  const hasPlace = text.search(PLACES) >= 0;
  return (all === "" || hasPlace ? expanded : `${expanded}\n\n${all}`).trim();
}

/** The arguments that a text has, words or texts in quotes. Of more than `max`, at least 1, the last is the rest of the text. */
export function commandArguments(text: string, max = Number.POSITIVE_INFINITY): readonly string[] {
  const words = [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
  const values = words.map(([, double, single, word]) => double ?? single ?? word ?? "");
  if (words.length <= max) return values;
  return [...values.slice(0, max - 1), text.slice(words[max - 1]?.index).trim()];
}
