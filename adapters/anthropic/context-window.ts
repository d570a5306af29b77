/** Tokens of the context window by the beginning of a model's name. */
const WINDOWS: Readonly<Record<string, number>> = { "claude-": 200_000 };

/** Tokens of a model's context window. Undefined for an unknown model. */
export const contextWindowOf = (model: string): number | undefined =>
  Object.entries(WINDOWS).find(([prefix]) => model.startsWith(prefix))?.[1];
