import { describe, expect, it } from "vitest";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { Scenario } from "../../support/scenario.ts";
import { approved, command, commandRuns, list, mcp, read, write } from "../../support/scenarios/setups.ts";

const allowed = { verdict: "allow" } as const;
const messages = ({ run }: Scenario): readonly ClineMessage[] => run.view.context.log.toArray();
/** The second of two calls: its message came after the response. */
const secondApproved = (): Scenario =>
  new Scenario()
    .begun()
    .calls(write)
    .calls(list)
    .calls(write)
    .finishes()
    .answers("yes")
    .toolEnds()
    .toolEnds()
    .answers("yes");
const calls = ({ run }: Scenario) => run.view.context.turn.calls;

/** The kinds and statuses of the messages that have one. */
const statuses = (scenario: Scenario) =>
  messages(scenario).flatMap(({ ask, say, progressStatus }) =>
    progressStatus === undefined ? [] : [[ask ?? say, progressStatus.text]],
  );

describe("a status is shown at the ask of its call", () => {
  it.each<[how: string, scenario: () => Scenario, ask: string]>([
    ["that a person approved", approved, "tool"],
    ["that had no partial message", secondApproved, "tool"],
    [
      "that a rule allowed",
      () =>
        new Scenario()
          .begun()
          .calls({ ...write, ...allowed })
          .finishes(),
      "tool",
    ],
    ["that a rule allowed while the response streams", () => new Scenario().begun().calls(read), "tool"],
    ["of an MCP server", () => new Scenario().begun().calls(mcp).finishes().answers("yes"), "use_mcp_server"],
    ["that is a command", commandRuns, "command"],
    [
      "that is an allowed command",
      () =>
        new Scenario()
          .begun()
          .calls({ ...command, ...allowed })
          .finishes(),
      "command",
    ],
  ])("%s", (_, create, ask) => {
    const scenario = create();
    const call = calls(scenario).find(({ phase }) => phase === "running");
    expect(call).toBeDefined();
    const before = messages(scenario);
    scenario.progresses("1 of 2").progresses("2 of 2");
    expect(statuses(scenario)).toEqual([[ask, "2 of 2"]]);
    expect(messages(scenario).find(({ progressStatus }) => progressStatus !== undefined)?.callId).toBe(
      call?.callId,
    );
    expect(messages(scenario).map(({ progressStatus: _status, ...rest }) => rest)).toEqual(before);
  });

  it("of several that run, each at its own", () => {
    const scenario = new Scenario().begun().calls(read).calls(list);
    const [one, two] = calls(scenario).map(({ callId }) => callId);
    scenario.progresses("b", two).progresses("a", one);
    expect(
      messages(scenario).flatMap(({ callId, progressStatus }) =>
        progressStatus ? [[callId, progressStatus.text]] : [],
      ),
    ).toEqual([
      [one, "a"],
      [two, "b"],
    ]);
  });

  it("and stays when the call settles", () => {
    expect(statuses(approved().progresses("half").toolEnds())).toEqual([["tool", "half"]]);
    expect(statuses(approved().progresses("half").toolFails())).toEqual([["tool", "half"]]);
    expect(statuses(approved().progresses("half").cancelled())).toEqual([["tool", "half"]]);
  });
});

describe("a status is ignored, without a commit,", () => {
  const ignored = (scenario: Scenario, callId: string): void => {
    const before = scenario.run.view.context;
    scenario.progresses("late", callId);
    expect(scenario.run.view.context).toBe(before);
  };

  it.each<[of: string, scenario: () => Scenario]>([
    ["that ended", () => approved().toolEnds()],
    ["that was stopped", () => approved().cancelled()],
    ["that waits for approval", () => new Scenario().begun().calls(write).finishes()],
    ["that runs in the background", () => commandRuns().answers("yes")],
  ])("of a call %s", (_, create) => {
    const scenario = create();
    const { callId } = messages(scenario).findLast((message) => message.callId !== undefined) ?? {};
    ignored(scenario, callId ?? expect.unreachable());
  });

  it("of an unknown call", () => {
    ignored(approved(), "nobody");
  });
});
