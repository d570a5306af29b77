import { MODE_SLUG } from "../../machines/task/mode.ts";
import { ToolError } from "../error.ts";
import { BUILTIN_MODES } from "./builtin-modes.ts";
import { compileFilePattern } from "./file-pattern.ts";
import type { Mode } from "./mode.ts";

/** The modes of a task, by slug. */
export interface Modes {
  /** The built-in ones first. */
  readonly list: readonly Mode[];
  find(slug: string): Mode | undefined;
}

/**
 * Combine the built-in modes with custom ones. A custom mode replaces a built-in one of the same slug, in its place.
 *
 * @throws ToolError `MODE_INVALID` if a custom mode has an invalid or repeated slug or permits a group twice; `PATTERN_INVALID`
 * @example
 * ```ts
 * import { createModes } from "signalbox/tools";
 * const modes = createModes([
 *   { slug: "review", name: "Review", role: "You review changes.", permissions: [{ group: "read" }] },
 * ]);
 * console.log(modes.find("review")?.name);
 * ```
 */
export function createModes(custom: readonly Mode[] = []): Modes {
  const bySlug = new Map(BUILTIN_MODES.map((mode) => [mode.slug, mode]));
  const added = new Set<string>();
  for (const mode of custom) {
    assertMode(mode);
    if (added.has(mode.slug)) {
      throw new ToolError("MODE_INVALID", `Two modes have the slug "${mode.slug}". Rename or remove one.`);
    }
    added.add(mode.slug);
    bySlug.set(mode.slug, mode);
  }
  const list = [...bySlug.values()];
  return { list, find: (slug) => bySlug.get(slug) };
}

function assertMode({ slug, permissions }: Mode): void {
  if (!MODE_SLUG.test(slug)) {
    throw new ToolError(
      "MODE_INVALID",
      `Expected a slug of 1 to 64 letters, digits, "_" and "-", with a letter or digit first, received ${JSON.stringify(slug.slice(0, 100))}.`,
    );
  }
  const groups = permissions.map(({ group }) => group);
  const repeated = groups.find((group, at) => groups.indexOf(group) !== at);
  if (repeated !== undefined) {
    throw new ToolError(
      "MODE_INVALID",
      `The mode "${slug}" permits the group ${repeated} twice. Remove one.`,
    );
  }
  for (const permission of permissions) {
    if (permission.group === "edit" && permission.files !== undefined) compileFilePattern(permission.files);
  }
}
