import type { ListFlags } from "./list.ts";

interface Mode {
  readonly slug: string;
  readonly name: string;
}

/** The modes that the family's documents name. */
const MODES: readonly Mode[] = [
  { slug: "architect", name: "Architect" },
  { slug: "code", name: "Code" },
  { slug: "ask", name: "Ask" },
  { slug: "debug", name: "Debug" },
  { slug: "orchestrator", name: "Orchestrator" },
];

/** `list modes`: tab-separated, or `{ modes }`. */
export function listModes({ format }: ListFlags): string {
  if (format === "json") return `${JSON.stringify({ modes: MODES }, undefined, 2)}\n`;
  return MODES.map(({ slug, name }) => `${slug}\t${name}\n`).join("");
}
