import { type PathGlob, parseGlob } from "./path-glob.ts";

/** Files with instructions, permissions or commands that take effect later, in any folder. */
const PROTECTED = [
  ".git",
  ".rooignore",
  ".signalbox",
  "AGENTS.md",
  "CLAUDE.md",
  ".clinerules",
  ".roo",
  ".roomodes",
].flatMap((name) => parseGlob(name) ?? []);

/**
 * Whether an edit of this path needs a rule that names what protects it: `edit(.git/**)` names `.git`, `edit(**)` does
 * not.
 */
export function isProtected(spellings: readonly string[], allowing: readonly PathGlob[]): boolean {
  return PROTECTED.filter((each) => each.touches(spellings)).some(
    (each) => !allowing.some((glob) => each.touches([glob.text.replace(/^\.?\//, "")])),
  );
}
