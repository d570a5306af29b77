import path from "node:path";
import type { z } from "zod";
import type { Mode } from "../../tools/modes/mode.ts";
import { parseDocument } from "../document.ts";
import { SettingsError } from "../error.ts";
import { type ProjectFiles, readProjectFiles } from "../trust.ts";
import { fromOwnFile, OwnFile } from "./own-file.ts";
import { fromRooFile, RooFile } from "./roo-file.ts";

/**
 * Read the custom modes of a workspace: `.signalbox/modes.yaml`, then the modes of `.roomodes` whose slugs are not in it. Their
 * `origin` is the file, relative to the workspace. Files that are symlinks to outside the workspace are rejected.
 *
 * @throws SettingsError `SETTINGS_INVALID`, `SETTINGS_UNREADABLE`; the message has all problems of both files, at most
 *   10 of each
 * @example
 * ```ts
 * import { readModes } from "signalbox/settings";
 * import { createModes } from "signalbox/tools";
 * const modes = createModes(await readModes("."));
 * ```
 */
export const readModes = async (workspace: string): Promise<readonly Mode[]> =>
  modesIn(await readProjectFiles(workspace));

/**
 * The custom modes in the files of a project as they were read: those that trust is about.
 *
 * @throws SettingsError `SETTINGS_INVALID`
 */
export async function modesIn({ folder, texts }: ProjectFiles): Promise<readonly Mode[]> {
  const modesOf = async <T>(
    origin: typeof OWN | typeof ROO,
    schema: z.ZodType<T>,
    toModes: (content: T) => readonly Mode[],
  ): Promise<readonly Mode[]> => {
    const text = texts[origin];
    if (text === undefined) return [];
    const { value } = await parseDocument(text, path.join(folder, origin), schema);
    return toModes(value).map((mode) => ({ ...mode, origin }));
  };
  return joined(
    await Promise.allSettled([modesOf(OWN, OwnFile, fromOwnFile), modesOf(ROO, RooFile, fromRooFile)]),
  );
}

const OWN = ".signalbox/modes.yaml";
const ROO = ".roomodes";

type Result = PromiseSettledResult<readonly Mode[]>;

/** The modes of both files, or one error with the problems of both. */
function joined([own, roo]: readonly [Result, Result]): readonly Mode[] {
  if (own.status === "rejected" || roo.status === "rejected") throw errorOf([own, roo]);
  const slugs = new Set(own.value.map(({ slug }) => slug));
  return [...own.value, ...roo.value.filter(({ slug }) => !slugs.has(slug))];
}

/** One error with the problems of all files. */
function errorOf(results: readonly Result[]): unknown {
  const errors: readonly unknown[] = results.flatMap((each) =>
    each.status === "rejected" ? [each.reason] : [],
  );
  const [first, second] = errors;
  if (!(first instanceof SettingsError && second instanceof SettingsError)) return first;
  return new SettingsError(first.code, `${first.message}\n${second.message}`, { cause: first });
}
