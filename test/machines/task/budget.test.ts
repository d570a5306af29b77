import { describe, expect, it } from "vitest";
import { budgetTooSmall } from "../../../machines/conversation/notices.ts";
import type { TaskInput } from "../../../machines/task/task.context.ts";
import type { Budget } from "../../../machines/task/task.events.ts";
import type { SubtaskOutcome } from "../../../machines/tool-call/call.ts";
import type { Grant } from "../../../machines/tool-call/grant.ts";
import { Scenario } from "../../support/scenario.ts";
import { completion, read } from "../../support/scenarios/setups.ts";

const SPENT = "The budget of this task and its subtasks is spent. A yes grants the same amounts again.";

const delegation = { name: "new_task", effect: "delegates", verdict: "allow" } as const;

/** A task with this budget, at its first response. Its requests cost 0.01 US dollars. */
const granted = (grant: Grant, { from = "user", ...limits }: Parts = {}): Scenario =>
  new Scenario({ budget: { from, grant }, limits }).begun();
type Parts = { readonly from?: "user" | "parent" } & NonNullable<TaskInput["limits"]>;

const budgetOf = ({ run }: Scenario): Budget | null => run.view.context.budget;
const leftIn = (scenario: Scenario): Grant | undefined => {
  const budget = budgetOf(scenario);
  return budget === null || budget.state === "returned" ? undefined : budget.left;
};
/** The grant of the delegated call, which its subtask starts with. */
const lent = ({ run }: Scenario): Grant | undefined => {
  const [call] = run.view.context.turn.calls.filter(({ phase }) => phase === "delegated");
  return call?.phase === "delegated" ? call.grant : undefined;
};
const lastMessage = ({ run }: Scenario) => run.view.context.log.at(-1);
const errors = ({ run }: Scenario): unknown[] =>
  run.view.context.log.toArray().flatMap(({ say, text }) => (say === "error" ? [text] : []));
const held = ({ run }: Scenario): void => expect(run.violations).toEqual([]);

describe("a request is spent from the budget", () => {
  it("when it is opened, each attempt of it", () => {
    const scenario = granted({ requests: 5 });
    expect(leftIn(scenario)).toEqual({ requests: 4 });
    scenario.fails({ retryable: true }).retries();
    expect(leftIn(scenario)).toEqual({ requests: 3 });
    held(scenario);
  });

  it("with its cost, when it is closed", () => {
    const scenario = granted({ cost: 1 }).calls(read);
    expect(leftIn(scenario)).toEqual({ cost: 1 });
    scenario.finishes();
    expect(leftIn(scenario)).toEqual({ cost: 0.99 });
    held(scenario);
  });

  it("of unknown cost spends all dollars", () => {
    const scenario = granted({ cost: 1, requests: 9 }).calls(read).finishes("tool_use", { cost: null });
    expect(leftIn(scenario)).toEqual({ cost: 0, requests: 8 });
    held(scenario);
  });

  it("of unknown cost spends none where they are not limited", () => {
    const scenario = granted({ requests: 9 }).calls(read).finishes("tool_use", { cost: null });
    expect(leftIn(scenario)).toEqual({ requests: 8 });
    held(scenario);
  });
});

describe("a task without a budget", () => {
  it("has none, and its subtasks get no grant", () => {
    const scenario = new Scenario().begun().calls(delegation).finishes();
    expect(budgetOf(scenario)).toBeNull();
    expect(scenario.state).toBe("running.delegated");
    expect(lent(scenario)).toBeUndefined();
    held(scenario);
  });

  it("grants a subtask what its call names, and gets nothing back", () => {
    const scenario = new Scenario()
      .begun()
      .calls({ ...delegation, requestsBudget: { requests: 3 } })
      .finishes();
    expect(lent(scenario)).toEqual({ requests: 3 });
    scenario.subtaskEnds({ kind: "finished", result: "Done.", rest: { requests: 2 } });
    expect(budgetOf(scenario)).toBeNull();
    held(scenario);
  });
});

describe("a spent budget asks before the next request", () => {
  it.each<[string, Grant, object]>([
    ["of requests", { requests: 1 }, { count: 1, type: "requests", reason: SPENT }],
    ["of cost", { cost: 0.01 }, { count: 0.01, type: "cost", reason: SPENT }],
    ["of cost, exceeded by the last request", { cost: 0.005 }, { count: 0.005, type: "cost", reason: SPENT }],
    [
      "of both, with the requests",
      { cost: 0.01, requests: 1 },
      { count: 1, type: "requests", reason: SPENT },
    ],
  ])("%s", (_, grant, text) => {
    const scenario = granted(grant).calls(read).finishes().toolEnds();
    expect(scenario.state).toBe("idle.limited");
    expect(JSON.parse(lastMessage(scenario)?.text ?? "")).toEqual(text);
    held(scenario);
  });

  it("and a yes grants the same amounts again", () => {
    const scenario = granted({ requests: 1, tasks: 3, cost: 5 })
      .calls(read)
      .finishes()
      .toolEnds()
      .answers("yes");
    expect(scenario.state).toBe("streaming.preparing");
    expect(leftIn(scenario)).toEqual({ requests: 0, tasks: 3, cost: 5 });
    held(scenario);
  });

  it("and what a subtask is granted again stays its parent's: the rest is returned", () => {
    const scenario = granted({ requests: 1 }, { from: "parent" })
      .calls(read)
      .finishes()
      .toolEnds()
      .answers("yes");
    expect(budgetOf(scenario)).toEqual({ state: "lent", granted: { requests: 1 }, left: { requests: 0 } });
    held(scenario);
  });

  it("and a no grants nothing", () => {
    const scenario = granted({ requests: 1 }).calls(read).finishes().toolEnds().answers("no");
    expect(scenario.state).toBe("resumable");
    expect(leftIn(scenario)).toEqual({ requests: 0 });
    scenario.answers("yes");
    expect(scenario.state).toBe("idle.limited");
    held(scenario);
  });

  it("and a yes to another limit grants nothing", () => {
    const scenario = granted({ requests: 9, cost: 9 }, { requests: 1 }).calls(read).finishes().toolEnds();
    expect(JSON.parse(lastMessage(scenario)?.text ?? "")).toEqual({ count: 1, type: "requests" });
    scenario.answers("yes");
    expect(leftIn(scenario)).toEqual({ requests: 7, cost: 8.99 });
    held(scenario);
  });
});

describe("a subtask is granted a share of what is left", () => {
  it("half of the requests, subtasks and dollars, and one level less", () => {
    const scenario = granted({ requests: 10, tasks: 4, depth: 2, cost: 1.01 }).calls(delegation).finishes();
    expect(lent(scenario)).toEqual({ requests: 4, tasks: 1, depth: 1, cost: 0.5 });
    expect(leftIn(scenario)).toEqual({ requests: 5, tasks: 2, depth: 2, cost: 0.5 });
    held(scenario);
  });

  it("or less, if its call names less; never more", () => {
    const requests = (requestsBudget: Grant): Scenario =>
      granted({ requests: 10, cost: 1.01 })
        .calls({ ...delegation, requestsBudget })
        .finishes();
    const less = requests({ requests: 2, cost: 0.25 });
    expect(lent(less)).toEqual({ requests: 2, cost: 0.25 });
    expect(leftIn(less)).toEqual({ requests: 7, cost: 0.75 });
    const more = requests({ requests: 200, cost: 25 });
    expect(lent(more)).toEqual({ requests: 4, cost: 0.5 });
    for (const scenario of [less, more]) held(scenario);
  });

  it("with the amounts that its call names besides", () => {
    const scenario = granted({ requests: 10 })
      .calls({ ...delegation, requestsBudget: { cost: 0.25 } })
      .finishes();
    expect(lent(scenario)).toEqual({ requests: 4, cost: 0.25 });
    expect(leftIn(scenario)).toEqual({ requests: 5 });
    held(scenario);
  });

  it("or the share of `subtaskShare`", () => {
    const scenario = granted({ requests: 10, tasks: 4 }, { subtaskShare: 1 }).calls(delegation).finishes();
    expect(lent(scenario)).toEqual({ requests: 9, tasks: 3 });
    expect(leftIn(scenario)).toEqual({ requests: 0, tasks: 0 });
    held(scenario);
  });

  it.each<[string, Grant]>([
    ["levels of subtasks", { depth: 0, tasks: 9 }],
    ["subtasks", { tasks: 0, requests: 9 }],
    ["requests", { requests: 2, tasks: 9 }],
    ["dollars", { cost: 0.01, depth: 9 }],
  ])("or refused with too little left of its %s, before anybody is asked", (of, grant) => {
    const scenario = granted(grant)
      .calls({ ...delegation, verdict: "ask" })
      .finishes();
    expect(scenario.run.view.context.turn.calls.map(({ phase }) => phase)).not.toContain("delegated");
    expect(errors(scenario)).toEqual([budgetTooSmall(of)]);
    expect(scenario.run.view.context.counters.mistakes).toBe(1);
    held(scenario);
  });

  it("and no other call is refused", () => {
    const scenario = granted({ tasks: 0 }).calls(read).finishes();
    expect(scenario.state).toBe("running.calling");
    held(scenario);
  });

  it("and starts with the same grant after a crash", () => {
    const scenario = granted({ requests: 10 }).calls(delegation).finishes();
    expect(lent(scenario)).toEqual({ requests: 4 });
    scenario.crashes().answers("yes");
    expect(scenario.state).toBe("running.delegated");
    expect(lent(scenario)).toEqual({ requests: 4 });
    expect(leftIn(scenario)).toEqual({ requests: 5 });
    held(scenario);
  });
});

describe("the end of a subtask", () => {
  const delegated = (): Scenario =>
    granted({ requests: 10, tasks: 3, cost: 1.01 }, { from: "user" }).calls(delegation).finishes();
  const rest = { requests: 3, tasks: 0, cost: -0.25 };

  it.each<[string, SubtaskOutcome, Grant]>([
    // One more request is opened at once.
    [
      "finished: gives the rest back",
      { kind: "finished", result: "Done.", rest },
      { requests: 7, tasks: 1, cost: 0.25 },
    ],
    [
      "failed: gives what it never used back",
      { kind: "failed", message: "no", rest },
      { requests: 7, tasks: 1, cost: 0.25 },
    ],
    ["cancelled: keeps its grant", { kind: "cancelled" }, { requests: 4, tasks: 1, cost: 0.5 }],
    [
      "finished without a rest: keeps its grant",
      { kind: "finished", result: "" },
      { requests: 4, tasks: 1, cost: 0.5 },
    ],
  ])("%s", (_, end, left) => {
    const scenario = delegated().subtaskEnds(end);
    expect(leftIn(scenario)).toEqual(left);
    held(scenario);
  });

  it("that its journal holds gives the rest back once, also when the task crashes again", () => {
    const scenario = delegated();
    const childEnds = [[scenario.callId, { kind: "finished", result: "Done.", rest }]] as const;
    scenario.crashes({ childEnds });
    expect(leftIn(scenario)).toEqual({ requests: 8, tasks: 1, cost: 0.25 });
    scenario.crashes({ childEnds }).answers("yes");
    expect(leftIn(scenario)).toEqual({ requests: 7, tasks: 1, cost: 0.25 });
    held(scenario);
  });

  it("gives nothing back after a cancel", () => {
    const scenario = delegated();
    const { callId } = scenario;
    scenario.cancelled().send({
      type: "subtask.ended",
      callId,
      end: { kind: "finished", result: "Done.", rest },
    });
    expect(leftIn(scenario)).toEqual({ requests: 5, tasks: 1, cost: 0.5 });
    held(scenario);
  });
});

describe("a subtask that completes", () => {
  const completes = (from: "user" | "parent"): Scenario =>
    granted({ requests: 5, cost: 1 }, { from }).calls(completion).finishes().answers("yes");

  it("gives its parent what it has not spent, and has nothing left", () => {
    const scenario = completes("parent");
    expect(budgetOf(scenario)).toEqual({ state: "returned", granted: { requests: 5, cost: 1 } });
    held(scenario);
  });

  it("asks before it continues; a yes grants it the same amounts, of its own", () => {
    const scenario = completes("parent").answers("text", "And the docs?");
    expect(scenario.state).toBe("idle.limited");
    scenario.answers("yes");
    const grant = { requests: 5, cost: 1 };
    expect(budgetOf(scenario)).toEqual({ state: "own", granted: grant, left: { ...grant, requests: 4 } });
    scenario.prepared().calls(completion).finishes().answers("yes");
    expect(budgetOf(scenario)?.state).toBe("own");
    held(scenario);
  });

  it("that is the root keeps its budget", () => {
    const scenario = completes("user").answers("text", "And the docs?");
    expect(leftIn(scenario)).toEqual({ requests: 3, cost: 0.99 });
    held(scenario);
  });
});

describe("a reopened task", () => {
  it("has the budget of its start, also before its first request", () => {
    const budget = { from: "user", grant: { requests: 5 } } as const;
    const scenario = new Scenario({ budget }).send({ type: "task.start", text: "Go", images: [] });
    scenario.crashes({}, { budget: { ...budget, grant: { requests: 99 } } });
    expect(leftIn(scenario)).toEqual({ requests: 5 });
    held(scenario);
  });

  it("has the budget of its journal, whatever it is opened with", () => {
    const scenario = granted({ requests: 5 }).crashes(
      {},
      { budget: { from: "user", grant: { requests: 99 } } },
    );
    expect(budgetOf(scenario)).toEqual({ state: "own", granted: { requests: 5 }, left: { requests: 4 } });
    held(scenario);
  });

  it("whose journal has none has the one that it is opened with", () => {
    const budget = { from: "user", grant: { requests: 2 } } as const;
    const scenario = new Scenario().begun().crashes({}, { budget });
    expect(budgetOf(scenario)).toEqual({ state: "own", granted: { requests: 2 }, left: { requests: 2 } });
  });
});
