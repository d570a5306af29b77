import type { Verification } from "../../wire/http/verification.ts";

/** A verification that explored nothing. */
export const NOTHING_VERIFIED: Verification = {
  figures: { states: 0, steps: 0, depth: 0, seconds: 0, complete: true },
  explorations: [],
  laws: [],
  states: {},
  transitions: [],
  callTransitions: [],
  violations: [],
};
