import { describe, expect, it } from "vitest";
import type { AssistantBlock } from "../../../machines/conversation/entry.ts";
import type { StopReason, TaskEmitted } from "../../../machines/task/task.events.ts";
import { Scenario } from "../../support/scenario.ts";
import { asked, read, write } from "../../support/scenarios/setups.ts";

const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0 };
const ENVIRONMENT = { type: "text", text: "<environment/>" } as const;

const text = (words: string): AssistantBlock => ({ type: "text", text: words });
const use = (id: string): AssistantBlock => ({ type: "opaque", block: { type: "server_tool_use", id } });
const result = (id: string): AssistantBlock => ({
  type: "opaque",
  block: { type: "web_search_tool_result", tool_use_id: id },
});

const finishes = (
  scenario: Scenario,
  content: readonly AssistantBlock[],
  stopReason: StopReason = "end_turn",
) =>
  scenario.send({
    type: "llm.finished",
    requestId: scenario.run.view.context.request ?? -1,
    stopReason,
    content,
    usage: USAGE,
  });
const entriesOf = ({ run }: Scenario) => run.view.context.conversation.toArray();
const errors = ({ run }: Scenario): unknown[] =>
  run.view.context.log.toArray().flatMap(({ say, text }) => (say === "error" ? [text] : []));
const isReport = (text: unknown): boolean => String(text).startsWith("A server tool");
/** Input of a running actor. */
const inputOf = ({ run }: Scenario, id: string): unknown => {
  const snapshot: unknown = run.actor.getSnapshot().children[id]?.getSnapshot();
  return typeof snapshot === "object" && snapshot !== null && "input" in snapshot
    ? snapshot.input
    : undefined;
};

describe("uses of server tools that no longer get a result are reported when they are left out", () => {
  it.each([
    [1, "1 block of the last response stays"],
    [2, "2 blocks of the last response stay"],
  ])("%i", (count, blocks) => {
    const uses = ["a", "b"].slice(0, count).map(use);
    const scenario = finishes(new Scenario().begun(), [text("Hm."), ...uses]);
    expect(errors(scenario)).toEqual([]);
    scenario.prepared();
    expect(errors(scenario)).toEqual([`A server tool has no result: ${blocks} out of the next requests.`]);
    expect(scenario.messages.at(-1)).toBe("say:error");
    expect(scenario.run.violations).toEqual([]);
  });

  it("once, not with each later request", () => {
    const scenario = finishes(new Scenario().begun(), [text("Hm."), use("a")]).prepared();
    finishes(scenario, [text("Hm!")]).prepared();
    expect(errors(scenario).filter(isReport)).toHaveLength(1);
    finishes(scenario, [text("Hm?"), use("b")]).prepared();
    expect(errors(scenario).filter(isReport)).toHaveLength(2);
  });

  it("and not where they have their result, or still await it", () => {
    const paired = finishes(new Scenario().begun(), [use("a"), result("a"), text("Hm.")]).prepared();
    expect(errors(paired)).toEqual([]);
    const paused = finishes(new Scenario().begun(), [text("Hm."), use("a")], "pause_turn").prepared();
    expect(errors(paused)).toEqual([]);
  });
});

describe("a request without new content", () => {
  it("after a response that was complete adds the environment", () => {
    const scenario = new Scenario({ completion: "end_turn" }).begun().says("Done.").finishes("end_turn");
    scenario.answers("text", " ").prepared();
    expect(entriesOf(scenario).slice(1)).toEqual([
      { role: "assistant", content: [text("Done.")] },
      { role: "user", content: [ENVIRONMENT] },
    ]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("at the start of a task has the environment alone", () => {
    const scenario = new Scenario().begun(" ");
    expect(entriesOf(scenario)).toEqual([{ role: "user", content: [ENVIRONMENT] }]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("after a paused turn adds nothing", () => {
    const scenario = new Scenario().begun().says("Hm.").finishes("pause_turn").prepared();
    expect(entriesOf(scenario).at(-1)?.role).toBe("assistant");
    expect(scenario.run.violations).toEqual([]);
  });
});

describe("the context of a request is prepared", () => {
  it("with the stopped calls, whose ends are read", () => {
    const scenario = asked(write).answers("yes");
    const { callId } = scenario;
    scenario.cancelled().answers("yes");
    expect(inputOf(scenario, "context")).toMatchObject({ stopped: [callId] });
    expect(inputOf(asked(write).answers("yes").toolEnds(), "context")).toMatchObject({ stopped: [] });
  });

  it("anew, if the request is cancelled while it waits for a read", () => {
    const scenario = new Scenario().begun().calls(read).calls(write).finishes().answers("no").prepared();
    expect(scenario.state).toBe("streaming.preparing");
    scenario.cancelled().answers("yes");
    expect(scenario.state).toBe("streaming.preparing");
    expect(scenario.prepared().state).toBe("streaming.receiving");
    expect(scenario.run.violations).toEqual([]);
  });
});

it("a request records the time of the next attempt only where one was planned", () => {
  const recordedOf = (scenario: Scenario, send: (scenario: Scenario) => Scenario): readonly unknown[] => {
    const times: unknown[] = [];
    const note = (event: TaskEmitted) => {
      if (event.type === "facts.changed" && "retryAt" in event.facts) times.push(event.facts.retryAt);
    };
    const subscription = scenario.run.actor.on("facts.changed", note);
    send(scenario);
    subscription.unsubscribe();
    return times;
  };
  expect(recordedOf(asked(write), (it) => it.answers("yes").toolEnds())).toEqual([]);
  const failed = new Scenario().begun().fails({ retryable: true });
  expect(recordedOf(failed, (it) => it.retries())).toEqual([0]);
});
