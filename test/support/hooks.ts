import { methodsAt } from "../../tools/hook.ts";
import { allowEverything, type Hook, type HookDecision, type HookInput } from "../../tools/index.ts";
import { DONE, openRig, type Rig, type RigOptions, resultsOf } from "./host.ts";

type Point = HookInput["point"];

/** The input of a hook at a point. */
export type InputAt<P extends Point> = Extract<HookInput, { readonly point: P }>;

const isAt = <P extends Point>(input: HookInput, point: P): input is InputAt<P> => input.point === point;

/** A hook at one point, by default with the name of the point. */
export function hookAt<P extends Point>(
  point: P,
  decide: (input: InputAt<P>, signal: AbortSignal) => unknown,
  more: Partial<Hook> = {},
): Hook {
  return {
    name: point,
    ...methodsAt([point], (input, { signal }) => (isAt(input, point) ? decide(input, signal) : undefined)),
    ...more,
  };
}

/** The tool of the call in the script. The completion of a task is a call, too. */
export const WRITES = { tools: ["write_to_file"] };

/** A hook that denies the writes of a task. */
export const denyingWrites = (reason = "not today."): Hook =>
  hookAt("beforeTool", () => ({ decision: "deny", reason }), WRITES);

/** A hook of writes that does not end by itself. */
export const hanging = (point: "beforeTool" | "afterTool", onStart: () => void): Hook => ({
  name: point,
  ...WRITES,
  ...methodsAt([point], (_, { signal }) => {
    onStart();
    return new Promise<HookDecision>((resolve) => {
      signal.addEventListener("abort", () => resolve({ decision: "allow" }));
    });
  }),
});

/** A turn that writes a file. */
export const WRITE = JSON.stringify({ tool: "write_to_file", input: { path: "a.txt", content: "x" } });

/** A rig with hooks whose policy allows everything, and whose model writes a file. */
export const hookRig = (hooks: readonly Hook[] | undefined, options: RigOptions = {}): Promise<Rig> =>
  openRig({
    script: `[${WRITE}, ${DONE}]`,
    policy: allowEverything(),
    ...(hooks && { hooks }),
    ...options,
  });

/** Run the task until it settles. */
export const run = ({ task }: Rig) => task.run("Do it");

/** The tool results of the newest request, with quotes as they are. */
export const lastResults = (rig: Rig): string =>
  resultsOf(rig.sent().at(-1) ?? [])
    .join("\n")
    .replaceAll('\\"', '"');

/** The text of a file in the workspace. */
export const written = (rig: Rig, file = "a.txt"): Promise<string> => rig.file(file).catch(() => "(none)");

/** The effects that the journal names. */
export const effectsOf = ({ shown }: Rig): readonly string[] =>
  shown.flatMap(({ commit }) =>
    commit.effects.flatMap(({ type, effect }) => (type === "effect.started" ? [effect] : [])),
  );

/** The texts of the messages of hooks. */
export const hookMessages = ({ task }: Rig): readonly string[] =>
  task.log.toArray().flatMap(({ say, text }) => (say === "hook" ? [text ?? ""] : []));
