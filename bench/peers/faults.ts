import type { Outcome } from "./outcome.ts";
import type { Agents } from "./peer.ts";
import { FAULT_CONTENT, textOf } from "./scripts.ts";
import { type Place, runOf, Write, write } from "./tools.ts";
import type { WorkOf } from "./work.ts";

/** Read a text whose first response fails. */
export async function surviveInText(
  agents: Agents,
  { deltas }: WorkOf<"textFault">,
  place: Place,
): Promise<Outcome> {
  const ended = await settle(agents.run(runOf(place, [])));
  if (ended.error !== undefined) return { verdict: "error", what: ended.error };
  if (ended.text === textOf(deltas)) return { verdict: "pass", what: "recovered" };
  if (ended.text.endsWith(textOf(deltas)))
    return { verdict: "pass", what: "recovered, after the part that came" };
  const [received, expected] = [ended.text.length, textOf(deltas).length];
  return { verdict: "FAIL", what: `${received} of ${expected} characters taken for the whole text` };
}

/** Run a tool whose input is cut at first: it must not run with a part of it. */
export async function surviveInInput(agents: Agents, place: Place): Promise<Outcome> {
  const inputs: unknown[] = [];
  const tool = write(async (input) => {
    inputs.push(input);
    return "Written.";
  });
  const ended = await settle(agents.run(runOf(place, [tool])));
  const wrong = inputs.find((input) => Write.safeParse(input).data?.content !== FAULT_CONTENT);
  if (wrong !== undefined) {
    const length = Write.safeParse(wrong).data?.content.length ?? 0;
    return { verdict: "FAIL", what: `tool ran with ${length} of ${FAULT_CONTENT.length} characters` };
  }
  if (ended.error !== undefined) return { verdict: "error", what: ended.error };
  if (inputs.length === 0) return { verdict: "FAIL", what: "ended as a success, and the tool never ran" };
  return { verdict: "pass", what: "recovered" };
}

/** Cancel a run while its tool never returns. */
export async function cancelUnresponsive(
  agents: Agents,
  { limitMs }: WorkOf<"unresponsive">,
  place: Place,
): Promise<Outcome> {
  const abort = new AbortController();
  let onStart = (): void => {};
  const started = new Promise<void>((resolve) => {
    onStart = resolve;
  });
  const tool = write(() => {
    onStart();
    // Neither settles nor watches its signal.
    return new Promise<never>(() => {});
  });
  const run = settle(agents.run(runOf(place, [tool], { signal: abort.signal })));
  await Promise.race([started, run]);
  const before = performance.now();
  abort.abort();
  const limit = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), limitMs));
  const ended = await Promise.race([run, limit]);
  if (ended === undefined) return { verdict: "FAIL", what: `not settled after ${limitMs / 1000} s` };
  return { verdict: "pass", what: `settled in ${Math.ceil(performance.now() - before)} ms` };
}

/** Wait for a run. A failure becomes the first line of its error. */
async function settle(run: Promise<string>): Promise<{ readonly text: string; readonly error?: string }> {
  try {
    return { text: await run };
  } catch (error) {
    const message = error instanceof Error ? error.message : JSON.stringify(error);
    return { text: "", error: (message || "an error without a message").split("\n", 1)[0] ?? "" };
  }
}
