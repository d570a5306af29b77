import { readFileSync } from "node:fs";
import type { Happening } from "../../verify/index.ts";

/** The shortest way to each seeded fault, by its name. */
export const WAYS = new Map<string, readonly Happening[]>(
  JSON.parse(readFileSync(new URL("../fixtures/ways-to-faults.json", import.meta.url), "utf8")),
);
