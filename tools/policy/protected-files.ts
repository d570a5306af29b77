import { type PathGlob, parseGlob } from "./path-glob.ts";

/** Files with instructions, permissions, commands or versions that take effect later, in any folder. */
const PROTECTED = [
  // Hooks and filters.
  ...[".git", ".husky"],
  // Settings, rules and permissions of agents.
  ...[".rooignore", ".signalbox", "AGENTS.md", "CLAUDE.md", ".clinerules", ".roo", ".roomodes", ".mcp.json"],
  // Intents, and the ledger of what was done under them.
  ".orchestration",
  // Tasks that an editor or a shell runs when a folder is opened.
  ...[".vscode", ".idea", ".devcontainer", ".envrc"],
  // Lock files: which code is installed.
  ...["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"],
  ...[
    "deno.lock",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "go.sum",
    "Gemfile.lock",
  ],
  ...["composer.lock", "packages.lock.json", "mix.lock", "pubspec.lock", "Podfile.lock", "Package.resolved"],
  ...["gradle.lockfile", "flake.lock"],
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
