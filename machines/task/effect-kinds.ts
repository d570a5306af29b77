/** The kinds of actors that the machine starts. `ActorInputs` has the input of each. */
export const EFFECT_KINDS = [
  "opening",
  "context",
  "condense",
  "llm",
  "review",
  "tool",
  "ask",
  "timer",
  "checkpoint",
  "subtask",
  "hook",
] as const;
export type EffectKind = (typeof EFFECT_KINDS)[number];
