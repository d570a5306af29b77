import { Scenario } from "../scenario.ts";
import { asked, list, mcp, type NamedScenario, question, read, write } from "./setups.ts";

export const CALLS: readonly NamedScenario[] = [
  [
    "approve",
    "a tool that a person approves runs, and its result goes with the next request",
    () => asked(write).answers("yes").toolEnds().prepared(),
  ],
  [
    "approve-with-words",
    "a yes with words is a yes, the words are a row and go before the result",
    () => asked(write).answers("yes", "mind the tabs").toolEnds().prepared(),
  ],
  [
    "reject",
    "a no skips the calls that have not begun, and the next request says so",
    () =>
      new Scenario().begun().calls(write).calls({ name: "apply_diff" }).finishes().answers("no").prepared(),
  ],
  [
    "reject-with-words",
    "words to a tool's ask are a no and a row",
    () => asked(write).answers("text", "not that file").prepared(),
  ],
  [
    "mcp",
    "a call of another server is announced by a row of its own when it is approved",
    () => asked(mcp).answers("yes").toolEnds(),
  ],
  [
    "allowed-effect",
    "an effect that a rule allows keeps its row partial until the answer ends, then starts",
    () => asked({ ...write, verdict: "allow" }).toolEnds(),
  ],
  [
    "parallel-reads",
    "reads that a rule allows start at their block's end, beside each other",
    () => {
      const scenario = new Scenario().begun().calls(read).calls(list);
      return scenario.finishes().toolEnds("one").toolEnds("two").prepared();
    },
  ],
  [
    "denied-by-rule",
    "a call that a rule denies is told to the model and to the user",
    () => asked({ ...write, verdict: "deny" }).prepared(),
  ],
  [
    "question",
    "the reply to a question is its result",
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
    "what waits in the queue is said with the request that follows a no",
    () =>
      new Scenario().begun().queues("also the docs").calls(write).finishes().answers("no", "why?").prepared(),
  ],
  [
    "arguments",
    "the arguments of a call show in its partial row as they come; it is a whole ask when the answer is whole",
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
    "the asks of one answer come one after another, and its results go back together in its order",
    () => {
      const scenario = new Scenario().begun().calls(write).calls({ name: "apply_diff" }).finishes();
      return scenario.answers("yes").toolEnds("one").answers("yes").toolEnds("two").prepared();
    },
  ],
  [
    "reject-with-image",
    "an image beside a no goes back behind its words",
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
    "an ask that nobody answers is closed by a policy's deadline, which is named with the decision",
    () => asked(write).expires("yes", "after-a-minute").toolEnds(),
  ],
  [
    "mcp-fails",
    "a call of another server that fails is told to the model",
    () => asked(mcp).answers("yes").toolFails("the server closed the connection").prepared(),
  ],
  [
    "mcp-invalid",
    "a call of another server that can't be made withdraws its row and says why",
    () => new Scenario().begun().callsInvalid(mcp, 'There is no server "weather".').finishes().prepared(),
  ],
  [
    "review-late",
    "an answer that is whole waits for the look at its first call before the person is asked",
    () => new Scenario().begun().callsBeforeReview(write).finishes().reviewed(write),
  ],
  [
    "review-too-late",
    "a look at a call that takes too long is a mistake, which is told",
    () => {
      const scenario = new Scenario().begun().callsBeforeReview(write).finishes();
      const timerId = `review:${scenario.run.view.context.request}`;
      return scenario.send({ type: "timer.fired", timerId }).prepared();
    },
  ],
];
