import { counted } from "../bounds.ts";
import type { Feature } from "./feature.ts";

/** The process ends, and the task is opened again. */
export const crashes: Feature = {
  name: "crashes",
  parts: { "crashes spent": ({ spent, bounds }) => counted(spent.crashes, bounds.crashes) },
  // The simplest crash only loses what runs.
  crashes: () => [{}],
};
