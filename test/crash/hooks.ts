import { type Hook, methodsAt } from "../../tools/hook.ts";
import type { PlainRecord } from "./records.ts";

/** The effect that a hook denies. */
export const DENIED = "third";

/** A hook for each point of the machine. One denies an effect, the others allow and add texts. */
export const HOOKS: readonly Hook[] = [
  {
    name: "guard",
    beforeTool: async (call) => {
      await Promise.resolve();
      if (call.arguments.key !== DENIED) return undefined;
      return { decision: "deny", reason: "it is denied in each run." };
    },
  },
  { name: "note", beforeRequest: () => ({ context: "Mind the hooks." }) },
  {
    name: "watch",
    ...methodsAt(["afterTool", "afterWrite"], ({ point }) => ({ context: `${point} seen.` })),
  },
];

const TOOL = "tool:";
const HOOK = "hook:";

/** HOOK, from a journal alone: each tool call starts after the end of the hooks before it. */
export function hookViolations(records: readonly PlainRecord[]): readonly string[] {
  const decided = new Set<string>();
  const isEarly = (type: string, id: string): boolean => {
    if (type === "effect.stopped" && id.startsWith(HOOK)) decided.add(id.slice(HOOK.length));
    return type === "effect.started" && id.startsWith(TOOL) && !decided.has(id.slice(TOOL.length));
  };
  return records.flatMap(({ seq, effects }) =>
    effects.flatMap(({ type, id }) =>
      isEarly(type, id) ? [`HOOK: record ${seq} starts ${id} before its hooks have decided`] : [],
    ),
  );
}
