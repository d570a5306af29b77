import { readFileSync } from "node:fs";
import type { PathEvent } from "../../verify/index.ts";

/** The shortest path to each seeded fault, by its name. */
export const PATHS = new Map<string, readonly PathEvent[]>(
  JSON.parse(readFileSync(new URL("../fixtures/paths-to-faults.json", import.meta.url), "utf8")),
);
