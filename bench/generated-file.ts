import { existsSync, readFileSync, writeFileSync } from "node:fs";

const TITLE = /^== (.+) ==$/m;

/** Replace the section of this name in a generated file, or add it at the end. Sections begin with `== name ==`. */
export function withSection(file: string, name: string, text: string): string {
  const [, ...parts] = file.split(TITLE);
  const sections = new Map<string, string>();
  for (let n = 0; n < parts.length; n += 2) sections.set(parts[n] ?? "", (parts[n + 1] ?? "").trim());
  sections.set(name, text.trim());
  return [...sections].map(([title, section]) => `== ${title} ==\n\n${section}\n`).join("\n");
}

/** Renew these sections of a generated file on disk. The sections of others stay. */
export function writeSections(path: string, sections: ReadonlyMap<string, string>): void {
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const after = [...sections].reduce((file, [name, text]) => withSection(file, name, text), before);
  writeFileSync(path, after);
}
