import { describe, expect, it } from "vitest";
import { Scenario } from "../../support/scenario.ts";
import {
  asked,
  command,
  commandRuns,
  completed,
  question,
  SCENARIOS,
  TOPICS,
  write,
} from "../../support/scenarios/index.ts";
import { remainingText, topicText } from "../../support/traces.ts";

describe("the task machine, event by event", () => {
  it.each(SCENARIOS)("%s: %s", (_name, _title, create) => {
    expect(create().run.violations).toEqual([]);
  });

  it.each(Object.keys(TOPICS))("has the committed scenarios of %s", async (topic) => {
    await expect(topicText(topic)).toMatchFileSnapshot(`../../traces/${topic}.txt`);
  });

  it("has the committed facts and running actors after each scenario (L10, L11)", async () => {
    await expect(remainingText()).toMatchFileSnapshot("../../traces/remaining.txt");
  });
});

describe("a failed request that asks", () => {
  it("names the wait of a Retry-After beyond the limit", () => {
    const asking = new Scenario().begun().fails({ retryable: true, retryAfterMs: 3_600_000 });
    expect(asking.run.view.context.log.at(-1)).toMatchObject({
      ask: "api_req_failed",
      text: expect.stringMatching(
        /\nThe endpoint asks to wait 3600 s\. The limit retryAfterMaxMs is 120 s\.$/,
      ),
    });
  });
});

/** The messages after the ask. */
const messagesAfter = (scenario: Scenario, ask: string): string[] => {
  const { messages } = scenario;
  return messages.slice(messages.lastIndexOf(`ask:${ask}`) + 1);
};
const REQUEST = "say:api_req_started";
const FEEDBACK = "say:user_feedback";
const RESUME = "ask:resume_task";

/** Ask, scenario, and the messages that yes, no and text append. "-": nothing changes, and the ask stays open. */
const TABLE: readonly (readonly [string, () => Scenario, string[] | "-", string[] | "-", string[] | "-"])[] =
  [
    ["tool", () => asked(write), ["say:tool"], [REQUEST], [FEEDBACK, REQUEST]],
    [
      "browser_action_launch",
      () => asked({ name: "browse", ask: "browser_action_launch" }),
      ["say:tool"],
      [REQUEST],
      [FEEDBACK, REQUEST],
    ],
    [
      "use_mcp_server",
      () => asked({ name: "mcp", ask: "use_mcp_server" }),
      ["say:mcp_server_request_started"],
      [REQUEST],
      [FEEDBACK, REQUEST],
    ],
    ["command", () => asked(command), ["ask:command_output"], [REQUEST], [FEEDBACK, REQUEST]],
    ["command_output", commandRuns, ["say:tool", REQUEST], ["say:command_output"], "-"],
    ["followup", () => asked(question), "-", "-", [FEEDBACK, REQUEST]],
    ["completion_result", completed, [], [], [FEEDBACK, REQUEST]],
    [
      "api_req_failed",
      () => new Scenario().begun().fails({ retryable: false }),
      ["say:api_req_retried", REQUEST],
      [RESUME],
      "-",
    ],
    [
      "mistake_limit_reached",
      () =>
        new Scenario({ limits: { mistakes: 1 } }).begun().calls(write).finishes().answers("yes").toolFails(),
      [REQUEST],
      [RESUME],
      [FEEDBACK, REQUEST],
    ],
    [
      "auto_approval_max_req_reached",
      () =>
        asked(write, { limits: { requests: 1 } })
          .answers("yes")
          .toolEnds(),
      [REQUEST],
      [RESUME],
      "-",
    ],
    ["resume_task", () => asked(write).cancelled(), [REQUEST], "-", [FEEDBACK, REQUEST]],
    ["resume_completed_task", () => completed().crashes(), "-", "-", [FEEDBACK, REQUEST]],
  ];

describe.each(TABLE)(
  "answering %s appends, in the same macrostep (DESIGN 3, L1, L8)",
  (ask, create, yes, no, text) => {
    it.each([
      ["yes", yes],
      ["no", no],
      ["text", text],
    ] as const)("%s", (kind, expected) => {
      const scenario = create();
      expect(scenario.messages.at(-1)).toBe(`ask:${ask}`);
      const before = scenario.run.view;
      scenario.answers(kind, kind === "text" ? "words" : undefined);
      if (expected === "-") expect(scenario.run.view.context.log).toBe(before.context.log);
      else expect(messagesAfter(scenario, ask)).toEqual(expected);
      expect(scenario.run.violations).toEqual([]);
    });
  },
);
