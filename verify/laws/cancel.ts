import { type Law, topOf } from "./law.ts";

const REST = ["resumable", "idle"];

/** L10: one cancel leads to rest in its macrostep; a second one changes no row. */
export const cancel: Law = {
  id: "L10",
  title: "one cancel leads to rest, a second changes nothing",
  violation({ before, event, after, emitted }) {
    if (event.type !== "task.cancel") return undefined;
    const from = topOf(before.state);
    const to = topOf(after.state);
    const expected = from === "no_task" || REST.includes(from) ? from : "resumable";
    if (to !== expected) return `a cancel in ${before.state} led to ${after.state}`;
    if (expected === from && before.context.log !== after.context.log)
      return `a cancel in ${before.state} changed the log`;
    const running = after.context.turn.calls.find(({ phase }) => phase === "running" || phase === "deciding");
    if (running !== undefined) return `${running.callId} is ${running.phase} after a cancel`;
    if (after.context.background.length > 0) return "a background command outlives a cancel";
    if (
      expected !== from &&
      !emitted.some((piece) => piece.type === "effect.started" && piece.effect === "ask")
    ) {
      return "a cancel left nothing to resume by";
    }
    return undefined;
  },
};
