import path from "node:path";
import type { z } from "zod";
import type { Mode } from "../../tools/index.ts";
import { readDocument } from "../document.ts";
import { SettingsError } from "../error.ts";
import { fromOwnFile, OwnFile } from "./own-file.ts";
import { fromRooFile, RooFile } from "./roo-file.ts";

/**
 * Read the custom modes of a workspace: `.signalbox/modes.yaml`, then those of `.roomodes` whose slugs are not in it. Their
 * `origin` is the file, relative to the workspace. Files that are symlinks to outside the workspace are rejected.
 *
 * @throws SettingsError `bad_settings`, `unreadable_settings`; the message has all problems of both files, at most 10 of each
 * @example
 * ```ts
 * import { readModes } from "signalbox/settings";
 * import { createModes } from "signalbox/tools";
 * const modes = createModes(await readModes("."));
 * ```
 */
export async function readModes(workspace: string): Promise<readonly Mode[]> {
  const [own, roo] = await Promise.allSettled([
    readFile(workspace, ".signalbox/modes.yaml", OwnFile, fromOwnFile),
    readFile(workspace, ".roomodes", RooFile, fromRooFile),
  ]);
  if (own.status === "rejected" || roo.status === "rejected") throw joined([own, roo]);
  const slugs = new Set(own.value.map(({ slug }) => slug));
  return [...own.value, ...roo.value.filter(({ slug }) => !slugs.has(slug))];
}

async function readFile<T>(
  workspace: string,
  name: string,
  schema: z.ZodType<T>,
  toModes: (content: T) => readonly Mode[],
): Promise<readonly Mode[]> {
  const document = await readDocument(path.resolve(workspace, name), schema, { inside: workspace });
  return document === undefined ? [] : toModes(document.value).map((mode) => ({ ...mode, origin: name }));
}

/** One error with the problems of all files. */
function joined(results: readonly PromiseSettledResult<unknown>[]): unknown {
  const errors: readonly unknown[] = results.flatMap((each) =>
    each.status === "rejected" ? [each.reason] : [],
  );
  const [first, second] = errors;
  if (!(first instanceof SettingsError && second instanceof SettingsError)) return first;
  return new SettingsError(first.code, `${first.message}\n${second.message}`, { cause: first });
}
