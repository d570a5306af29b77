import { Scenario } from "../scenario.ts";
import { asked, list, mcp, type NamedScenario, question, read, write } from "./setups.ts";

export const CALLS: readonly NamedScenario[] = [
  [
    "approve",
    "an approved tool runs, and its result is sent with the next request",
    () => asked(write).answers("yes").toolEnds().prepared(),
  ],
  [
    "approve-with-words",
    "a yes with text approves the call; the text is a message and precedes the result",
    () => asked(write).answers("yes", "mind the tabs").toolEnds().prepared(),
  ],
  [
    "reject",
    "a no skips the calls that have not started, and the next request reports it",
    () =>
      new Scenario().begun().calls(write).calls({ name: "apply_diff" }).finishes().answers("no").prepared(),
  ],
  [
    "reject-with-words",
    "a text answer to a tool's ask is a no and a message",
    () => asked(write).answers("text", "not that file").prepared(),
  ],
  ["mcp", "an approved MCP call is announced by its own message", () => asked(mcp).answers("yes").toolEnds()],
  [
    "allowed-effect",
    "an effect allowed by a rule keeps its message partial until the response ends, then starts",
    () => asked({ ...write, verdict: "allow" }).toolEnds(),
  ],
  [
    "parallel-reads",
    "reads allowed by a rule start at the end of their block and run in parallel",
    () => {
      const scenario = new Scenario().begun().calls(read).calls(list);
      return scenario.finishes().toolEnds("one").toolEnds("two").prepared();
    },
  ],
  [
    "denied-by-rule",
    "a call denied by a rule is reported to the model and to the user",
    () => asked({ ...write, verdict: "deny" }).prepared(),
  ],
  [
    "question",
    "the answer to a question is its result",
    () => asked(question).answers("yes").answers("text", "the second"),
  ],
  [
    "cut-call",
    "a call whose arguments are cut at the output limit never runs",
    () => {
      const scenario = new Scenario().begun();
      const callId = scenario.startsCall(write);
      const requestId = scenario.run.view.context.request ?? -1;
      return scenario
        .send({ type: "llm.tool.broken", requestId, callId, error: "cut at the output limit" })
        .finishes("max_tokens");
    },
  ],
  [
    "reject-queue",
    "queued text is sent with the request that follows a no",
    () =>
      new Scenario().begun().queues("also the docs").calls(write).finishes().answers("no", "why?").prepared(),
  ],
  [
    "arguments",
    "the arguments of a call stream into its partial message; the ask is complete when the response is",
    () => {
      const scenario = new Scenario().begun();
      const callId = scenario.startsCall(write);
      const requestId = scenario.run.view.context.request ?? -1;
      scenario.previews('{"tool":"write').previews('{"tool":"write_to_file","content":"on');
      scenario.send({ type: "llm.tool.end", requestId, callId, input: { of: "write_to_file" } });
      return scenario.reviewed(write).finishes();
    },
  ],
  [
    "asks-in-order",
    "the asks of one response are shown one at a time; the results are sent together, in the order of the calls",
    () => {
      const scenario = new Scenario().begun().calls(write).calls({ name: "apply_diff" }).finishes();
      return scenario.answers("yes").toolEnds("one").answers("yes").toolEnds("two").prepared();
    },
  ],
  [
    "reject-with-image",
    "an image attached to a no is sent after its text",
    () => {
      const scenario = asked(write);
      const askId = scenario.run.view.context.ask?.id ?? 0;
      const answer = {
        kind: "no",
        text: "like this",
        images: ["data:image/png;base64,iVBORw0KGgo="],
      } as const;
      return scenario.send({ type: "ask.answered", askId, answer }).prepared();
    },
  ],
  [
    "reject-second",
    "a no to the second call leaves the first one's result as it is",
    () => {
      const scenario = new Scenario().begun().calls(write).calls({ name: "apply_diff" }).finishes();
      return scenario.answers("yes").toolEnds("one").answers("no").prepared();
    },
  ],
  [
    "expired",
    "an unanswered ask is closed by the deadline of a policy, which is named with the decision",
    () => asked(write).expires("yes", "after-a-minute").toolEnds(),
  ],
  [
    "mcp-fails",
    "a failed MCP call is reported to the model",
    () => asked(mcp).answers("yes").toolFails("the server closed the connection").prepared(),
  ],
  [
    "mcp-invalid",
    "an invalid MCP call withdraws its message and reports the reason",
    () => new Scenario().begun().callsInvalid(mcp, 'There is no server "weather".').finishes().prepared(),
  ],
  [
    "review-late",
    "a complete response waits for the review of its first call before the user is asked",
    () => new Scenario().begun().callsBeforeReview(write).finishes().reviewed(write),
  ],
  [
    "review-too-late",
    "a review that takes too long is a mistake and is reported",
    () => {
      const scenario = new Scenario().begun().callsBeforeReview(write).finishes();
      const timerId = `review:${scenario.run.view.context.request}`;
      return scenario.send({ type: "timer.fired", timerId }).prepared();
    },
  ],
];
