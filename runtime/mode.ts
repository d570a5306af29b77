import { HostError } from "./errors.ts";

/** As the tool that begins a subtask has it. */
const SLUG = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** The most characters of a wrong slug that an error repeats. */
const EXCERPT_CHARS = 80;

/** @throws HostError `OPTION_INVALID` for what is no slug of a mode */
export function expectMode(slug: unknown): void {
  if (typeof slug === "string" && SLUG.test(slug)) return;
  const got = typeof slug === "string" ? JSON.stringify(slug.slice(0, EXCERPT_CHARS)) : typeof slug;
  throw new HostError(
    "OPTION_INVALID",
    `The mode can't be taken: expected the slug of a mode, such as code, ask or architect (at most 64 letters, digits, '_' and '-'), got ${got}.`,
  );
}
