import { createElement } from "react";
import { assert, describe, test } from "vitest";
import { arrowEnds } from "../../../visualize/page/panes/sequence/arrows.ts";
import { lifelinesOf } from "../../../visualize/page/panes/sequence/lifelines.ts";
import { participantOf, participantsOf } from "../../../visualize/page/panes/sequence/participants.ts";
import { SEQUENCE_MAX_LINES, SequencePane } from "../../../visualize/page/panes/sequence/sequence-pane.tsx";
import { stepsAround } from "../../../visualize/page/panes/sequence/steps.ts";
import type { TraceReader } from "../../../visualize/trace/moment.ts";
import { assertHarmless, HOSTILE, htmlOf, readOf, tagsOf } from "./markup.ts";
import { commit, paneAt, RECORDED, recorded, traceOf } from "./trace.ts";

const shown = (trace: TraceReader, at = trace.length - 1): string =>
  htmlOf(createElement(SequencePane, paneAt(trace, at)));

const linesOf = (html: string) =>
  tagsOf(html).filter(({ attributes }) => (attributes.get("class") ?? "").startsWith("sequence-line "));

const buttonsOf = (html: string) => tagsOf(html).filter(({ attributes }) => attributes.has("tabindex"));

const grown = (seq: number) => commit(seq, { log: [{ type: "message.grown", ts: 1, text: "x" }] });
const NAMES = new Map([["c1", "read_file"]]);

describe("the participants", () => {
  test("each sender of a recorded trace has its participant, with an arrow to the task", () => {
    for (const name of RECORDED) {
      const trace = recorded(name);
      for (let seq = 0; seq < trace.length; seq += 1) {
        const event = trace.event(seq);
        const way = arrowEnds(event, new Map());
        assert.equal(way.from, event.from.startsWith("tool:") ? event.from : event.from.split(":")[0]);
        assert.equal(way.to, event.record.kind === "effect.end" ? "journal" : "task");
        assert.include(
          participantsOf([way.from]).map(({ id }) => id),
          way.from,
        );
      }
    }
  });

  test("the runs of one tool share a participant with its name; a run of an unknown tool has its own", () => {
    assert.equal(participantOf("tool:c1", NAMES), "tool:read_file");
    assert.equal(participantOf("tool:c2", NAMES), "tool:c2");
    assert.deepEqual(
      participantsOf(["tool:read_file"]).map(({ label }) => label),
      ["user", "task", "read_file"],
    );
  });

  test("asks, reviews and subtasks have one participant each", () => {
    assert.equal(participantOf("ask:150", NAMES), "ask");
    assert.equal(participantOf("review:c1", NAMES), "review");
    assert.equal(participantOf("subtask:c1", NAMES), "subtask");
  });

  test("their order does not depend on the order of events", () => {
    const ids = ["journal", "tool:x", "timer", "llm", "ask", "review", "a stranger"];
    const order = ["user", "ask", "task", "llm", "review", "tool:x", "a stranger", "timer", "journal"];
    const sorted = (given: readonly string[]) => participantsOf(given).map(({ id }) => id);
    assert.deepEqual(sorted(ids), sorted(ids.toReversed()));
    assert.deepEqual(new Set(sorted(ids)), new Set(order));
    assert.isBelow(sorted(ids).indexOf("ask"), sorted(ids).indexOf("task"));
    assert.equal(sorted(ids).at(-1), "journal");
  });
});

describe("lifelines", () => {
  test("each begins on the line of the event that started the actor, and lasts at least until its last event", () => {
    for (const name of RECORDED) {
      const trace = recorded(name);
      const steps = stepsAround(trace, 0, trace.length);
      const lives = lifelinesOf(trace, steps, new Map());
      for (const [line, { event }] of steps.entries()) {
        const { because, from } = event;
        if (because === undefined || event.record.kind === "effect.end") continue;
        const lifeline = lives.find(({ actor, from: begun = -1, to = steps.length }) => {
          return actor === from && begun < line && line <= to;
        });
        assert.isDefined(lifeline, `${name}: ${from} sends event ${event.seq} and does not live`);
        assert.equal(steps[lifeline?.from ?? 0]?.event.seq, because);
      }
    }
  });

  test("those open on an event's line are the actors that run after it", () => {
    for (const name of RECORDED) {
      const trace = recorded(name);
      const steps = stepsAround(trace, 0, trace.length);
      const lives = lifelinesOf(trace, steps, new Map());
      for (const [line, { last }] of steps.entries()) {
        const living = lives.filter(({ from = -1, to = steps.length }) => from <= line && line < to);
        assert.sameMembers(
          living.map(({ actor }) => actor),
          [...trace.moment(last).actors.keys()],
        );
      }
    }
  });

  test("one that was started before the shown lines begins at the top", () => {
    const trace = recorded("v2/delegated");
    const begun = Array.from({ length: trace.length }, (_, seq) => seq).find(
      (seq) => trace.moment(seq).actors.size > 0,
    );
    const [first, ...rest] = stepsAround(trace, trace.length - 1, trace.length).slice((begun ?? 0) + 1);
    assert.isDefined(first);
    const lives = lifelinesOf(trace, first === undefined ? [] : [first, ...rest], new Map());
    assert.isTrue(lives.some(({ from }) => from === undefined));
  });

  test("all end when the task is opened again: their process has ended (L11)", () => {
    const trace = traceOf([
      commit(1, { effects: [{ type: "effect.started", effect: "llm", id: "llm" }] }),
      commit(2, { cause: { type: "task.recovered", at: 5 } }),
      commit(3),
    ]);
    assert.deepEqual(lifelinesOf(trace, stepsAround(trace, 3, 10), new Map()), [
      { actor: "llm", participant: "llm", slot: 0, from: 1, to: 2 },
    ]);
  });

  test("two of one participant at the same time are side by side", () => {
    const started = (id: string) => ({ type: "effect.started" as const, effect: "review" as const, id });
    const trace = traceOf([commit(1, { effects: [started("review:a"), started("review:b")] })]);
    const lives = lifelinesOf(trace, stepsAround(trace, 1, 10), new Map());
    assert.deepEqual(
      lives.map(({ slot }) => slot),
      [0, 1],
    );
  });
});

describe("the lines", () => {
  test("events that only grow a text are one line, with their number", () => {
    const trace = traceOf([
      commit(1, { log: [] }),
      ...Array.from({ length: 40 }, (_, i) => grown(i + 2)),
      commit(42),
    ]);
    const steps = stepsAround(trace, 20, SEQUENCE_MAX_LINES);
    assert.deepEqual(
      steps.map(({ first, last }) => [first, last]),
      [
        [0, 0],
        [1, 1],
        [2, 41],
        [42, 42],
      ],
    );
    assert.include(readOf(shown(trace, 20)), "×40");
    assert.include(readOf(shown(trace, 20)), "20 of 41");
  });

  test("an event that does more than grow a text has its own line", () => {
    const more = commit(3, { log: [{ type: "message.grown", ts: 1, text: "x" }], after: "streaming" });
    const trace = traceOf([grown(1), grown(2), more, grown(4)]);
    assert.equal(stepsAround(trace, 3, 10).length, 4);
  });

  test("a trace of 100,000 events renders a bounded number of lines", () => {
    const records = Array.from({ length: 100_000 }, (_, index) => commit(index + 1));
    const trace = traceOf(records);
    for (const at of [0, 50_000, 100_000]) {
      const html = shown(trace, at);
      assert.equal(buttonsOf(html).length, SEQUENCE_MAX_LINES);
      assert.isBelow(tagsOf(html).length, SEQUENCE_MAX_LINES * 20);
    }
  });

  test("the lines around any event have no gap", () => {
    const trace = traceOf(Array.from({ length: 30 }, (_, index) => commit(index + 1)));
    for (let at = 0; at < trace.length; at += 1) {
      const places = stepsAround(trace, at, 9).map(({ last }) => last);
      assert.equal(places.length, 9);
      assert.include(places, at);
      assert.deepEqual(
        places,
        places.map((_, index) => (places[0] ?? 0) + index),
      );
    }
  });

  test("the current event is marked, and the Tab key reaches only it", () => {
    const trace = recorded("v2/approving");
    for (let at = 0; at < trace.length; at += 7) {
      const html = shown(trace, at);
      const current = buttonsOf(html).filter(({ attributes }) => attributes.get("aria-current") === "step");
      assert.equal(current.length, 1);
      assert.include(current[0]?.attributes.get("title") ?? "", `Event ${at}:`);
      const reached = buttonsOf(html).filter(({ attributes }) => attributes.get("tabindex") === "0");
      assert.deepEqual(reached, current);
      assert.equal(linesOf(html).length, 1);
    }
  });

  test("each line has an accessible description", () => {
    const html = shown(recorded("v2/approving"), 2);
    assert.include(
      buttonsOf(html)[2]?.attributes.get("title") ?? "",
      "Event 2: task.opened, from opening (started by event 1). Entered streaming.preparing. Started: context. Stopped: opening.",
    );
  });

  test("an event that is not durable is marked (L11)", () => {
    const trace = traceOf([]);
    trace.append({ seq: 1, taskId: "t", record: commit(1), from: "user", durable: false });
    assert.include(buttonsOf(shown(trace))[1]?.attributes.get("title") ?? "", "Not durable");
    assert.include(shown(trace), "sequence-not-durable");
  });
});

test("hostile content of a trace is shown as text", () => {
  for (const word of HOSTILE) {
    const callId = word.slice(0, 200);
    const trace = traceOf([
      commit(1, {
        cause: { type: `call.${word}`, at: 1, callId, name: word },
        after: word === "" ? "running" : `${word}.x`,
        effects: [{ type: "effect.started", effect: "tool", id: `tool:${callId}` }],
      }),
      { seq: 2, kind: "effect.end", at: 2, callId, content: "uncertain" },
      commit(3, { cause: { type: `tool.${word}`, at: 3, callId } }),
    ]);
    trace.append({ seq: 4, taskId: "t", record: commit(4), from: word });
    assertHarmless(shown(trace));
  }
});
