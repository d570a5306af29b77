// A machine with a common fault: a yes counts, whatever ask it names. docs/guide/finding-a-fault.md finds it.
import { taskMachine } from "signalbox/machines";

export const machine = taskMachine.provide({
  guards: { isYes: ({ event }) => event.type === "ask.answered" && event.answer.kind === "yes" },
});
