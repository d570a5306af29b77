import type { Verification, VerificationCounts } from "../../../wire/http/verification.ts";

/** A verification with the counts of recorded tasks, in place of those that it has. */
export const withCounts = (
  verification: Verification,
  { recorded, transitions }: VerificationCounts,
): Verification => ({
  ...verification,
  recorded,
  transitions: verification.transitions.map(({ recorded: _, ...transition }, index) => {
    const count = transitions[index] ?? undefined;
    return { ...transition, ...(count !== undefined && { recorded: count }) };
  }),
});
