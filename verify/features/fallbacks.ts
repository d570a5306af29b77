import type { Feature } from "./feature.ts";

/** Other models replace one that fails. */
export const fallbacks: Feature = {
  name: "fallbacks",
  parts: { fallback: ({ view: { context } }) => context.fallback },
};
