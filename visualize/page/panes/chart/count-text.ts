import { plural } from "../../../../present/plural.ts";
import { duration, grouped } from "../../model/format.ts";

/** How many of the times that an edge or a row was taken are inferred. */
export const inferredText = (inferred: number, times: number): string =>
  inferred === times ? "inferred" : `${grouped(inferred)} inferred`;

/** How often a state was entered, and the time in it, in milliseconds. */
export const visitText = (entries: number, ms: number): string =>
  `entered ${plural(entries, "time")}, ${duration(ms)} in all`;
