import { Scenario } from "../scenario.ts";
import { completed, completion, type NamedScenario, read, write } from "./setups.ts";

const END_TURN = { completion: "end_turn" } as const;
const ONE = { queueDelivery: "one" } as const;
const ended = () => new Scenario(END_TURN).begun().says("Done.").finishes("end_turn");

export const COMPLETIONS: readonly NamedScenario[] = [
  [
    "completion-yes",
    "an accepted completion is reported once and still accepts feedback",
    () => completed().answers("yes").answers("yes").answers("text", "one more thing").prepared(),
  ],
  ["completion-no", "a declined completion stays idle", () => completed().answers("no")],
  [
    "completion-feedback",
    "a text answer to a completion is feedback, and the task continues",
    () => completed().answers("text", "not yet").prepared(),
  ],
  [
    "completion-queue",
    "queued text replaces a completion's ask as feedback",
    () => new Scenario().begun().queues("also the docs").calls(completion).finishes().prepared(),
  ],
  [
    "completion-after-failure",
    "a completion in the same response as a failed call is rejected",
    () =>
      new Scenario().begun().calls(write).calls(completion).finishes().answers("yes").toolFails().prepared(),
  ],
  [
    "end-turn",
    "a response without a call completes the task with its text, and feedback to it is new content",
    () =>
      ended()
        .answers("text", "and the docs")
        .prepared()
        .says("They too.")
        .finishes("end_turn")
        .answers("yes"),
  ],
  [
    "end-turn-accepted",
    "feedback to an accepted text completion continues the task",
    () => ended().answers("yes").answers("text", "one more thing").prepared(),
  ],
  [
    "end-turn-declined",
    "feedback to a declined text completion continues the task",
    () => ended().answers("no").answers("text", "do it again").prepared(),
  ],
  [
    "end-turn-queue",
    "a queued message is sent instead of completing the task",
    () =>
      new Scenario(END_TURN).begun().queues("also the docs").says("Done.").finishes("end_turn").prepared(),
  ],
  [
    "delivery-call",
    "with delivery one by one, each queued message is the result of a completion's call of its own",
    () =>
      new Scenario(ONE)
        .begun()
        .queues("first")
        .queues("second")
        .calls(completion)
        .finishes()
        .delivers()
        .prepared()
        .calls(completion)
        .finishes()
        .delivers()
        .prepared(),
  ],
  [
    "delivery-end-turn",
    "with delivery one by one, a queued message continues a completed conversation, also one queued after it",
    () =>
      new Scenario({ ...END_TURN, ...ONE })
        .begun()
        .queues("first")
        .says("Done.")
        .finishes("end_turn")
        .delivers()
        .prepared()
        .says("That too.")
        .finishes("end_turn")
        .queues("second")
        .delivers()
        .prepared(),
  ],
  [
    "delivery-cancel",
    "a cancel before a delivery keeps the queue, which is delivered after the next completion",
    () =>
      new Scenario({ ...END_TURN, ...ONE })
        .begun()
        .queues("first")
        .says("Done.")
        .finishes("end_turn")
        .cancelled()
        .delivers()
        .answers("text", "not yet")
        .prepared()
        .says("Done.")
        .finishes("end_turn")
        .delivers()
        .prepared(),
  ],
  [
    "end-turn-cut",
    "a response that was cut or paused does not complete the task",
    () =>
      new Scenario(END_TURN)
        .begun()
        .says("Do")
        .finishes("pause_turn")
        .prepared()
        .says("ne, ")
        .finishes("max_tokens")
        .prepared()
        .says("all of it.")
        .finishes("stop_sequence"),
  ],
  [
    "end-turn-call",
    "a response with a call goes on, and a call of the completion tool is understood",
    () =>
      new Scenario(END_TURN)
        .begun()
        .says("Done soon.")
        .calls(read)
        .finishes()
        .toolEnds()
        .prepared()
        .calls(completion)
        .finishes()
        .answers("text", "not yet")
        .prepared(),
  ],
];
