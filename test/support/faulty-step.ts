import type { ToolCallEventType } from "../../machines/tool-call/call.table.ts";

// biome-ignore lint/suspicious/noExplicitAny: a fault replaces a step of any event.
type Step = (call: any, event: any) => any;

/** A bug in what an event makes of a call. */
export const faultyStep = (event: ToolCallEventType, faulty: (step: Step) => Step) =>
  ({
    file: "tool-call/phases.ts",
    replace: ({ CALL_STEPS: steps }: Record<string, Record<string, Step>>) => ({
      CALL_STEPS: { ...steps, [event]: faulty(steps?.[event] ?? ((call) => call)) },
    }),
  }) as const;
