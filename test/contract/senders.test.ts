import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { MESSAGE_TYPES } from "../../client/bridge/request-parser.ts";
import { ExtensionClient, type WebviewMessage } from "../../client/index.ts";
import { taskMachine } from "../../machines/index.ts";
import { ROUTES } from "../../server/routes/routes.ts";
import { sessionRoute } from "../../server/routes/server.ts";
import { STDIN_COMMANDS } from "../../wire/ndjson/command.ts";

const root = path.join(import.meta.dirname, "../..");

/** The text of the sources below these folders. */
const textOf = (...folders: readonly string[]): string =>
  folders
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => readFileSync(path.join(root, folder, name), "utf8")),
    )
    .join("\n");

const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found = ""]) => found);

const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort();

/** Commands and operations that only programs of others send, which their pages document. Each has a test that sends it. */
const FOR_PROGRAMS = {
  "docs/reference/ndjson.md": { names: ["ping", "proposal"], tests: "test/cli/stream" },
  "docs/reference/server.md": {
    names: [
      ...["clearWakeUp", "closeTask", "getDescription", "getTask", "getTrace", "listCheckpoints"],
      ...["renameTask", "scheduleWakeUp"],
    ],
    tests: "test/server",
  },
} as const;

describe("each handled event has a sender (LIFE-GAP-032)", () => {
  test("each message that a bridge reads is sent by a method of the client", () => {
    const sent: string[] = [];
    const client = new ExtensionClient({ sendMessage: ({ type }: WebviewMessage) => sent.push(type) });
    client.launch();
    client.newTask("a");
    client.clearTask();
    client.cancelTask();
    client.sendResponse("yesButtonClicked");
    client.handleMessage({
      type: "state",
      state: { clineMessages: [{ ts: 1, type: "ask", ask: "command_output", text: "a" }] },
    });
    client.continueTerminal();
    client.approve();
    client.queueMessage("a");
    client.removeQueuedMessage("1");
    client.editQueuedMessage("1", "b");
    client.setMode("code");
    client.showTask("t");
    client.cancelAutoApproval();
    client.updateSettings({});
    expect(sorted(sent)).toEqual(sorted(MESSAGE_TYPES));
  });

  test("each command of NDJSON is sent by a task in another process, or documented for programs and tested", () => {
    const text = textOf("client/remote");
    const sent = STDIN_COMMANDS.filter((command) => text.includes(`"${command}"`));
    const { names, tests } = FOR_PROGRAMS["docs/reference/ndjson.md"];
    expect(sorted([...sent, ...names])).toEqual(sorted(STDIN_COMMANDS));
    for (const name of names) expect(textOf(tests)).toContain(`send("${name}"`);
  });

  test("each operation of the server is sent by the page or by React, or documented for programs and tested", () => {
    const pages = textOf("visualize/page/sources", "client/react");
    const isSent = ({ path: where }: (typeof ROUTES)[number]): boolean => {
      // Such as `queue/{messageId}`.
      const [, folder, id] = /(\w+)\/\{(\w+)\}$/.exec(where) ?? [];
      if (id !== undefined) return pages.includes(`\`${folder}/\${encodeURIComponent(${id})}\``);
      const last = where.split("/").at(-1) ?? "";
      return (
        pages.includes(`"${last}"`) ||
        pages.includes(`/${last}\``) ||
        pages.includes(`/${last}?`) ||
        pages.includes(`/${last}"`)
      );
    };
    const { names } = FOR_PROGRAMS["docs/reference/server.md"];
    const routes = [sessionRoute({ exchange: (token) => token }), ...ROUTES];
    const unsent = routes.filter((route) => !isSent(route)).map(({ name }) => name);
    expect(sorted(unsent)).toEqual(sorted(names));
  });

  test("each event of the task's machine is sent by an actor or by the task", () => {
    // The actor of a hook sends what `hookEnd` makes.
    const hookEnd = readFileSync(path.join(root, "machines/task/hook-points.ts"), "utf8");
    const text = `${textOf("actors", "runtime", "store", "adapters")}\n${hookEnd}`;
    const names = new Set(matches(text, /["'`]([a-z]+(?:\.[a-z$.{}A-Za-z]+)+)["'`]/g));
    // Such as `llm.${kind}.delta`.
    const patterns = [...names]
      .filter((name) => name.includes("${"))
      .map((name) => new RegExp(`^${name.replaceAll(".", "\\.").replaceAll(/\$\{[^}]*\}/g, ".*")}$`));
    const unsent = [...taskMachine.events].filter(
      (event) => !names.has(event) && !patterns.some((pattern) => pattern.test(event)),
    );
    expect(unsent).toEqual([]);
  });

  test("each action and guard of the task's machine is used in its table", () => {
    const table = JSON.stringify(taskMachine.config);
    const { actions, guards } = taskMachine.implementations;
    const unused = [...Object.keys(actions), ...Object.keys(guards)].filter(
      (name) => !table.includes(`"${name}"`),
    );
    expect(unused).toEqual([]);
  });
});
