import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { localSource, type ShownAsk, type TaskSource, useTask } from "../../../client/react/index.ts";
import { DONE, openRig } from "../../support/host.ts";

interface ProbeProps {
  readonly source: TaskSource;
  readonly onAsk: (ask: ShownAsk | undefined) => void;
}

function Probe({ source, onAsk }: ProbeProps): null {
  onAsk(useTask(source).ask);
  return null;
}

/** The ask that a component shows now. */
function shownAsk(source: TaskSource): ShownAsk | undefined {
  let shown: ShownAsk | undefined;
  const onAsk: ProbeProps["onAsk"] = (ask) => {
    shown = ask;
  };
  renderToStaticMarkup(createElement(Probe, { source, onAsk }));
  return shown;
}

describe("the ask that a component shows", () => {
  test("has the question in words, the diff, the paths, the labels and the rules of an edit", async () => {
    const write = "{ tool: write_to_file, input: { path: a.txt, content: x } }";
    await using rig = await openRig({ script: `[${write}, ${DONE}]` });
    await rig.task.run("Write");
    const source = localSource(rig.task);
    const ask = shownAsk(source);
    expect(ask).toMatchObject({ kind: "tool", yes: "Save", no: "Reject", suggestions: [] });
    expect(ask?.question).toContain("a.txt");
    expect(ask?.diff).toContain("+x");
    expect(ask?.paths).toMatchObject([{ path: "a.txt", inside: true }]);
    expect(ask?.rules).toEqual(rig.task.asks.flatMap((open) => ("rules" in open ? open.rules : [])));
    expect(ask?.rules).not.toEqual([]);
    expect(await ask?.approve({ text: "Good." })).toEqual({ ok: true });
    await rig.task.resume();
    expect(await rig.file("a.txt")).toBe("x");
    expect(await ask?.reject()).toMatchObject({ ok: false, code: "ASK_ALREADY_ANSWERED" });
  });

  test("has the suggestions of a question, takes one as the answer, and has no yes", async () => {
    const question =
      "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";
    await using rig = await openRig({ script: `[${question}, ${DONE}]` });
    await rig.task.run("Ask");
    const ask = shownAsk(localSource(rig.task));
    expect(ask).toMatchObject({ kind: "question", question: "Which?", suggestions: [{ answer: "left" }] });
    expect(ask).not.toHaveProperty("yes");
    const [suggestion] = ask?.suggestions ?? [];
    expect(suggestion && (await ask?.choose(suggestion))).toEqual({ ok: true });
    expect(await rig.task.resume()).toMatchObject({ result: "Done." });
  });
});
