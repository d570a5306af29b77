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
    "a command streams its output, and its end is a message",
    () => commandRuns().toolEnds("ok 1\n"),
  ],
  [
    "command-continue",
    "a command that the user continues becomes a background command",
    () => commandInBackground().says("Meanwhile").toolEnds("ok 2\n"),
  ],
  [
    "command-abort",
    "a command aborted by the user shows its output",
    () => commandRuns().answers("no").toolFails("killed"),
  ],
  [
    "command-silent",
    "a command without output ends with an empty message",
    () => asked(command).answers("yes").toolEnds(""),
  ],
  [
    "command-fails",
    "a command with a non-zero exit code has finished, and its message shows the code",
    () => commandRuns().toolEnds("not ok 2\n", 1).prepared(),
  ],
  [
    "command-queue",
    "text sent while a command runs is queued and sent with the next request",
    () => commandRuns().queues("also the docs").toolEnds("ok 1\n").prepared(),
  ],
  [
    "command-expired",
    "a command whose ask expires continues in the background",
    () => commandRuns().expires("yes", "after-a-minute").prepared(),
  ],
  [
    "command-ends-late",
    "a background command that ends after a completion's ask adds no message; the next request reports it",
    () =>
      commandInBackground()
        .calls(completion)
        .finishes()
        .toolEnds("ok 2\n")
        .answers("text", "and now?")
        .prepared(),
  ],
];
