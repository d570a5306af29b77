import type { NamedTest } from "./named-tests.ts";

/** A bug report of another product that also applied here. */
interface FieldReport {
  /** The numbers of the reports. */
  readonly numbers: readonly number[];
  readonly what: string;
  readonly ruledOutBy: string;
  readonly tests: readonly NamedTest[];
}

/** The reports by their numbers. */
export const FIELD_REPORTS: readonly FieldReport[] = [
  {
    numbers: [2],
    what: "Two calls of a response have one id, and one vanishes.",
    ruledOutBy: "each call has an id of its own",
    tests: ["test/actors/llm/response.test.ts: L6: calls %s run each under its own id"],
  },
  {
    numbers: [5],
    what: "A tool has an argument name that the endpoint rejects, and every request fails.",
    ruledOutBy: "names are replaced, and mapped back",
    tests: ["test/tools/argument-keys.test.ts: is replaced at every depth"],
  },
  {
    numbers: [6],
    what: "The proxy of the environment is ignored.",
    ruledOutBy: "one `fetch`",
    tests: [
      "test/adapters/proxy.test.ts: is reached through the proxy of %s",
      "test/adapters/proxy.test.ts: is fetched by web_fetch",
    ],
  },
  {
    numbers: [7],
    what: "An image that the endpoint refuses fails every later request.",
    ruledOutBy: "images are checked where they enter, and replaced once (COMPACT, L14)",
    tests: [
      "test/tools/image.test.ts: pixels is refused, with what is accepted",
      "test/runtime/images.test.ts: is replaced by a text",
    ],
  },
  {
    numbers: [8, 24],
    what: "A deny file or instructions in UTF-16 have no effect.",
    ruledOutBy: "one decoder",
    tests: [
      "test/adapters/workspace/deny-files.test.ts: denies what it names",
      "test/adapters/workspace/deny-files.test.ts: denies access to every file",
      "test/tools/text-decoding.test.ts: no other place decodes a file",
    ],
  },
  {
    numbers: [9],
    what: "An edit changes line breaks of unchanged lines, or drops a byte order mark.",
    ruledOutBy: "one form of a file",
    tests: ["test/tools/builtin/file-form.test.ts: leaves every byte of unchanged lines"],
  },
  {
    numbers: [10],
    what: "Control sequences reach the model.",
    ruledOutBy: "one reader of terminal text",
    tests: ["test/tools/terminal-text.test.ts: text as a terminal shows it"],
  },
  {
    numbers: [12],
    what: "A command lives on when its terminal closes.",
    ruledOutBy: "signals settle the task (L10)",
    tests: ["test/cli/signals.test.ts: a signal ends the running command"],
  },
  {
    numbers: [13, 16],
    what: "A moved folder gives an error without a way forward.",
    ruledOutBy: "errors say what to do",
    tests: [
      "test/cli/moved-folder.test.ts: a resume after a rename of the workspace",
      "test/cli/moved-folder.test.ts: a start in a folder that was removed",
    ],
  },
  {
    numbers: [15, 20],
    what: "A write by rename cuts hard links, fails on mounts, and replaces read-only files.",
    ruledOutBy: "one writer that looks at its target",
    tests: [
      "test/adapters/workspace/targets.test.ts: a mounted file is written in place",
      "test/adapters/workspace/targets.test.ts: is refused a read-only file by name",
    ],
  },
  {
    numbers: [18],
    what: "A large result of an MCP server ends its connection.",
    ruledOutBy: "`messageBytes` ends the call only (L14)",
    tests: ["test/adapters/mcp/connection.test.ts: with a result of 30 MB ends with its size"],
  },
  {
    numbers: [19],
    what: "Streams without event names are dropped.",
    ruledOutBy: "events by `data.type`",
    tests: ["test/adapters/anthropic/event-stream.test.ts: and lines that end with %j"],
  },
  {
    numbers: [22],
    what: "Requests of an editor that follow each other at once are refused.",
    ruledOutBy: "ACP requests in order",
    tests: ["test/cli/acp/races.test.ts: session/prompt directly after session/cancel"],
  },
  {
    numbers: [26],
    what: "A request that is too long in other words is not condensed.",
    ruledOutBy: "one table of vendors' words, and the size",
    tests: ["test/adapters/endpoint-failure.test.ts: that is too long in the words of a vendor"],
  },
  {
    numbers: [28],
    what: "A search leaves out files silently.",
    ruledOutBy: "found, or named",
    tests: ["test/adapters/workspace/search-complete.test.ts: finds lines in a file of more than 5 MB"],
  },
  {
    numbers: [29],
    what: "A file whose name only looks the same is not found.",
    ruledOutBy: "look-alike names",
    tests: ["test/adapters/workspace/look-alikes.test.ts: is found where it is the only one"],
  },
  {
    numbers: [31],
    what: "JSON settings with a comment count as empty.",
    ruledOutBy: "one parser, errors with file and line",
    tests: ["test/settings/json-comments.test.ts: are read with a comment %s"],
  },
  {
    numbers: [35],
    what: "Output that can't be written is lost, with exit code 0.",
    ruledOutBy: "one writer of stdout",
    tests: ["test/cli/output.test.ts: with code 1 and a word on stderr"],
  },
  {
    numbers: [37],
    what: "One invalid tool of an MCP server hides all of them.",
    ruledOutBy: "lists are validated item by item",
    tests: ["test/adapters/mcp/connection.test.ts: an invalid item of a list is named"],
  },
  {
    numbers: [38],
    what: '"Always" offers a rule that allows any program.',
    ruledOutBy: "wrappers are judged by the program inside",
    tests: ["test/tools/policy/wrapped-programs.test.ts: allows nothing of %j"],
  },
  {
    numbers: [39],
    what: "An MCP server forgets a session, and every later call fails.",
    ruledOutBy: "a new session (L12)",
    tests: ["test/adapters/mcp/session.test.ts: a call in a session that the server forgot runs once"],
  },
  {
    numbers: [41],
    what: "The endpoint's own words are replaced by a general sentence.",
    ruledOutBy: "one reader of endpoint errors",
    tests: ["test/adapters/endpoint-failure.test.ts: has the words of the endpoint in %s"],
  },
  {
    numbers: [42],
    what: "A process that a command leaves behind survives the program.",
    ruledOutBy: "listed, and ended with the task",
    tests: ["test/adapters/shell/shell.test.ts: is left behind"],
  },
];
