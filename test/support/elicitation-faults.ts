import type { Change } from "../../machines/task/change.ts";
import type { Fault } from "./seeded-faults.ts";

/** A task whose calls ask for input. */
const ELICITS = {
  bounds: { turns: 1, queued: 0, interruptions: 0, elicits: true, tools: ["mcp"] },
} as const;

const inFile = (law: string, name: string, replace: NonNullable<Fault["replace"]>): Fault => ({
  name,
  law,
  ...ELICITS,
  file: "task/elicitation.ts",
  replace,
});

/** Deliberate bugs in the requests of running calls for input. */
export const ELICITATION_FAULTS: readonly Fault[] = [
  inFile("L1", "answer to a request that shows nothing", ({ applyInput }) => ({
    applyInput: (change: Change) => {
      const { append } = change;
      change.append = () => 0;
      applyInput(change);
      change.append = append;
    },
  })),
  inFile("L8", "request left open by the end of its call", () => ({ withdrawElicitation: () => {} })),
  inFile("L1", "request of a call that no ask shows", () => ({ askForInput: () => {} })),
  inFile("L8", "request answered by a text that does not fit", async () => {
    const { closeAnsweredAsk } = await import("../../machines/task/asks.ts");
    return {
      elicitedIn: () => ({ action: "accept" }),
      applyInput: (change: Change) => {
        closeAnsweredAsk(change);
        change.append({ type: "say", say: "user_feedback", text: "" });
      },
    };
  }),
  {
    name: "request of any call accepted",
    law: "L10",
    ...ELICITS,
    provide: { guards: { mayElicit: () => true } },
  },
];
