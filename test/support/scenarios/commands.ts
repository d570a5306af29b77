import {
  asked,
  command,
  commandInBackground,
  commandRuns,
  completion,
  type NamedScenario,
} from "./setups.ts";

export const COMMANDS: readonly NamedScenario[] = [
  [
    "command",
    "a command shows its output as it comes and its end as a row",
    () => commandRuns().toolEnds("ok 1\n"),
  ],
  [
    "command-continue",
    "a command that is left to go on becomes a background command",
    () => commandInBackground().says("Meanwhile").toolEnds("ok 2\n"),
  ],
  [
    "command-abort",
    "a command that is ended by a person shows what it wrote",
    () => commandRuns().answers("no").toolFails("killed"),
  ],
  [
    "command-silent",
    "a command that writes nothing ends with an empty row",
    () => asked(command).answers("yes").toolEnds(""),
  ],
  [
    "command-fails",
    "a command that exits with another code than 0 has ended, and its row says with which",
    () => commandRuns().toolEnds("not ok 2\n", 1).prepared(),
  ],
  [
    "command-queue",
    "what a person says while a command runs waits, and goes with the next request",
    () => commandRuns().queues("also the docs").toolEnds("ok 1\n").prepared(),
  ],
  [
    "command-expired",
    "a command that a policy no longer waits for goes on in the background",
    () => commandRuns().expires("yes", "after-a-minute").prepared(),
  ],
  [
    "command-ends-late",
    "a command in the background that ends behind a completion's ask adds no row; the next request says so",
    () =>
      commandInBackground()
        .calls(completion)
        .finishes()
        .toolEnds("ok 2\n")
        .answers("text", "and now?")
        .prepared(),
  ],
];
