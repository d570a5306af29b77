import { Story } from "../scenario.ts";
import { asked, list, mcp, question, read, type Scenario, write } from "./sketches.ts";

export const CALLS: readonly Scenario[] = [
  [
    "approve",
    "a tool that a person approves runs, and its result goes with the next request",
    () => asked(write).answers("yes").ends().prepared(),
  ],
  [
    "approve-with-words",
    "a yes with words is a yes, the words are a row and go before the result",
    () => asked(write).answers("yes", "mind the tabs").ends().prepared(),
  ],
  [
    "reject",
    "a no skips the calls that have not begun, and the next request says so",
    () => new Story().begun().calls(write).calls({ name: "apply_diff" }).finishes().answers("no").prepared(),
  ],
  [
    "reject-with-words",
    "words to a tool's ask are a no and a row",
    () => asked(write).answers("text", "not that file").prepared(),
  ],
  [
    "mcp",
    "a call of another server is announced by a row of its own when it is approved",
    () => asked(mcp).answers("yes").ends(),
  ],
  [
    "allowed-effect",
    "an effect that a rule allows keeps its row partial until the answer ends, then starts",
    () => asked({ ...write, verdict: "allow" }).ends(),
  ],
  [
    "parallel-reads",
    "reads that a rule allows start at their block's end, beside each other",
    () => {
      const story = new Story().begun().calls(read).calls(list);
      return story.finishes().ends("one").ends("two").prepared();
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
      const story = new Story().begun();
      const callId = story.begins(write);
      const requestId = story.run.view.context.request ?? -1;
      return story
        .send({ type: "llm.tool.broken", requestId, callId, error: "cut at the output limit" })
        .finishes("max_tokens");
    },
  ],
  [
    "reject-queue",
    "what waits in the queue is said with the request that follows a no",
    () =>
      new Story().begun().queues("also the docs").calls(write).finishes().answers("no", "why?").prepared(),
  ],
  [
    "arguments",
    "the arguments of a call show in its partial row as they come; it is a whole ask when the answer is whole",
    () => {
      const story = new Story().begun();
      const callId = story.begins(write);
      const requestId = story.run.view.context.request ?? -1;
      story.previews('{"tool":"write').previews('{"tool":"write_to_file","content":"on');
      story.send({ type: "llm.tool.end", requestId, callId, input: { of: "write_to_file" } });
      return story.reviewed(write).finishes();
    },
  ],
  [
    "asks-in-order",
    "the asks of one answer come one after another, and its results go back together in its order",
    () => {
      const story = new Story().begun().calls(write).calls({ name: "apply_diff" }).finishes();
      return story.answers("yes").ends("one").answers("yes").ends("two").prepared();
    },
  ],
  [
    "reject-with-image",
    "an image beside a no goes back behind its words",
    () => {
      const story = asked(write);
      const askId = story.run.view.context.ask?.id ?? 0;
      const answer = {
        kind: "no",
        text: "like this",
        images: ["data:image/png;base64,iVBORw0KGgo="],
      } as const;
      return story.send({ type: "ask.answered", askId, answer }).prepared();
    },
  ],
  [
    "reject-second",
    "a no to the second call leaves the first one's result as it is",
    () => {
      const story = new Story().begun().calls(write).calls({ name: "apply_diff" }).finishes();
      return story.answers("yes").ends("one").answers("no").prepared();
    },
  ],
  [
    "expired",
    "an ask that nobody answers is closed by a policy's deadline, which is named with the decision",
    () => asked(write).expires("yes", "after-a-minute").ends(),
  ],
  [
    "mcp-fails",
    "a call of another server that fails is told to the model",
    () => asked(mcp).answers("yes").breaks("the server closed the connection").prepared(),
  ],
  [
    "mcp-invalid",
    "a call of another server that can't be made withdraws its row and says why",
    () => new Story().begun().callsWrongly(mcp, 'There is no server "weather".').finishes().prepared(),
  ],
  [
    "review-late",
    "an answer that is whole waits for the look at its first call before the person is asked",
    () => new Story().begun().callsUnseen(write).finishes().reviewed(write),
  ],
  [
    "review-too-late",
    "a look at a call that takes too long is a mistake, which is told",
    () => {
      const story = new Story().begun().callsUnseen(write).finishes();
      const timerId = `review:${story.run.view.context.request}`;
      return story.send({ type: "timer.fired", timerId }).prepared();
    },
  ],
];
