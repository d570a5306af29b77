import { describe, expect, it } from "vitest";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type { ModelRef, TaskEvent } from "../../../machines/task/task.events.ts";
import { model } from "../../../verify/laws/model.ts";
import { pastOf } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const standardModel: ModelRef = { provider: "p", id: "standard" };
const fast: ModelRef = { provider: "q", id: "fast" };
const BASE: Partial<TaskContext> = {
  standardModel,
  profiles: { standard: "default", models: { fast }, byMode: { ask: "fast", debug: "default" } },
};
const modelOf = ({ before, ...parts }: StepParts) =>
  model.violation(stepOf({ ...parts, before: { ...BASE, ...before } }));

const selection = (name: string | null, chosen: string | null = null): Pick<TaskContext, "profile"> => ({
  profile: { name, chosen },
});
const selected = (name: string): TaskEvent => ({ type: "profile.selected", at: 1, name });
const switched = (mode: string): TaskEvent => ({ type: "mode.switched", at: 1, mode });

describe("MODEL: the selection follows its events", () => {
  it("the user's selection is the named profile", () => {
    expect(modelOf({ event: selected("fast"), after: selection("fast", "fast") })).toBeUndefined();
    expect(modelOf({ event: selected("fast") })).toBe(
      'after profile.selected the selection is {"name":null,"chosen":null}, expected {"name":"fast","chosen":"fast"}',
    );
    expect(modelOf({ event: selected("fast"), after: selection("fast") })).toContain("expected");
    const back = { event: selected("default"), before: selection("fast", "fast") };
    expect(modelOf({ ...back, after: selection(null) })).toBeUndefined();
    expect(modelOf(back)).toContain("expected");
  });

  it("an unknown one changes nothing", () => {
    expect(modelOf({ event: selected("gone") })).toBeUndefined();
    expect(modelOf({ event: selected("gone"), after: selection("gone", "gone") })).toContain("expected");
  });

  it("a mode's selection is its profile, or what the user selected last", () => {
    const ask = { event: switched("ask"), before: selection(null, null) };
    expect(modelOf({ ...ask, after: { mode: "ask", ...selection("fast") } })).toBeUndefined();
    expect(modelOf({ ...ask, after: { mode: "ask" } })).toContain("expected");
    const debug = { event: switched("debug"), before: { mode: "ask", ...selection("fast", "fast") } };
    expect(modelOf({ ...debug, after: { mode: "debug", ...selection(null, "fast") } })).toBeUndefined();
    const code = { event: switched("code"), before: { mode: "ask", ...selection("fast", "fast") } };
    expect(modelOf({ ...code, after: { mode: "code" } })).toBeUndefined();
    expect(modelOf({ ...code, after: { mode: "code", ...selection(null, "fast") } })).toContain("expected");
  });

  it("also where a call switches the mode, or switches it back in the same macrostep", () => {
    const event: TaskEvent = {
      type: "call.reviewed",
      at: 1,
      callId: "c",
      review: { valid: false, error: "" },
    };
    expect(modelOf({ event, after: { mode: "ask" } })).toContain("expected");
    expect(modelOf({ event, after: { mode: "ask", ...selection("fast") } })).toBeUndefined();
    const back = { event, before: { mode: "ask" }, after: selection("fast") };
    expect(modelOf(back)).toContain("expected");
    const facts = { type: "facts.changed", facts: { mode: "ask" } } as const;
    expect(modelOf({ ...back, emitted: [facts] })).toBeUndefined();
    expect(modelOf({ event, before: { mode: "ask" }, emitted: [facts] })).toBeUndefined();
  });

  it("and no other event changes it, nor does a crash", () => {
    expect(modelOf({ after: selection("fast") })).toContain("after task.cancel the selection is");
    const past = { ...pastOf(), facts: selection("fast") };
    expect(modelOf({ past, before: selection("fast") })).toBeUndefined();
    expect(modelOf({ past, before: selection("fast"), after: { profile: null } })).toContain("expected");
  });
});

const open = (profile: string | null, of: ModelRef | undefined): Partial<TaskContext> => ({
  request: 5,
  requestModel: { profile, model: of },
  requestMode: "code",
});

describe("MODEL: a request is opened with the selected profile", () => {
  it("and its model is recorded", () => {
    const before = selection("fast");
    expect(modelOf({ before, after: { ...open("fast", fast), model: fast } })).toBeUndefined();
    expect(modelOf({ before, after: { ...open(null, standardModel), model: standardModel } })).toBe(
      'the request was opened with {"profile":null,"model":{"provider":"p","id":"standard"}}, and fast is selected',
    );
    expect(modelOf({ before, after: { ...open("fast", standardModel), model: fast } })).toContain("opened");
    expect(modelOf({ before, after: { ...open("fast", fast), model: standardModel } })).toBe(
      "the recorded model is standard, and the request goes to fast",
    );
  });

  it("and keeps it until it is closed", () => {
    const before = open(null, standardModel);
    expect(modelOf({ before, event: selected("fast"), after: selection("fast", "fast") })).toBeUndefined();
    expect(modelOf({ before, after: { requestModel: { profile: "fast", model: fast } } })).toBe(
      "the model of the open request changed",
    );
    expect(modelOf({ before, after: { request: undefined } })).toBe("a closed request has a model");
    expect(
      modelOf({ before, after: { request: undefined, requestModel: undefined, requestMode: undefined } }),
    ).toBeUndefined();
  });

  it.each(["llm", "condense"] as const)("and %s sends to it", (effect) => {
    const started = { type: "effect.started", effect, id: effect } as const;
    const before = { ...selection("fast"), ...open("fast", fast) };
    expect(modelOf({ before, emitted: [{ ...started, profile: "fast" }] })).toBeUndefined();
    expect(modelOf({ before, emitted: [started] })).toBe(
      `${effect} sends to the profile null, and the request has fast`,
    );
  });

  it("and has one mode in all its parts, that in which it was opened", () => {
    const before = open(null, standardModel);
    const started = { type: "effect.started", effect: "llm", id: "llm" } as const;
    expect(modelOf({ before, after: { requestMode: "ask" } })).toBe(
      "the request has the mode ask, and was opened in code",
    );
    expect(modelOf({ before, emitted: [{ ...started, mode: "ask" }] })).toBe(
      "llm has the mode ask, and the request has code",
    );
    expect(modelOf({ after: { requestMode: "code" } })).toBe("a closed request has a mode");
  });

  it("and its whole response names it, but not the text of a cut one", () => {
    const before = open(null, standardModel);
    const finished: TaskEvent = {
      ...{ type: "llm.finished", at: 1, requestId: 5, stopReason: "end_turn", content: [] },
      usage: { tokensIn: 0, tokensOut: 0, cacheReads: 0, cacheWrites: 0, cost: 0 },
    };
    const response = (named?: ModelRef) =>
      ({
        type: "entry.appended",
        entry: {
          role: "assistant",
          content: [],
          ...(named && { model: { provider: named.provider, id: named.id } }),
        },
      }) as const;
    expect(modelOf({ before, event: finished, emitted: [response(standardModel)] })).toBeUndefined();
    expect(modelOf({ before, event: finished, emitted: [response(fast)] })).toBe(
      "the response names fast, and the request went to standard",
    );
    const foreign = { ...standardModel, provider: "q" };
    expect(modelOf({ before, event: finished, emitted: [response(foreign)] })).toContain("went to standard");
    expect(modelOf({ before, emitted: [response()] })).toBeUndefined();
  });
});
