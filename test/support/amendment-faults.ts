import { faultyStep } from "./faulty-step.ts";
import type { Fault } from "./seeded-faults.ts";

/** A task whose calls are amended with their approval. */
const AMENDED = {
  bounds: { turns: 1, queued: 0, interruptions: 0, amends: true, tools: ["write"] },
} as const;

/** Deliberate bugs in the approval of amended calls. */
export const AMENDMENT_FAULTS: readonly Fault[] = [
  {
    name: "amended call approved as the model sent it",
    law: "L7",
    ...AMENDED,
    file: "task/approval.ts",
    replace: ({ approveCall }) => ({ amendCall: approveCall }),
  },
  {
    name: "amended call started without its amendment",
    law: "L7",
    ...AMENDED,
    ...faultyStep("amendment.reviewed", (step) => (...of) => {
      const { amendment: _, ...call } = step(...of);
      return call;
    }),
  },
  {
    name: "amended call that is denied started nevertheless",
    law: "L7",
    ...AMENDED,
    file: "task/verdict.ts",
    replace: ({ verdictOn }) => ({
      verdictOn: (context: unknown, call: unknown, review: object) =>
        "edit" in review ? { kind: "ask" } : verdictOn(context, call, review),
    }),
  },
];
